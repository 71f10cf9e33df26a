package shop;

import dev.outbox.OutboxHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

@Component
class Mail {

    private static final Logger log = LoggerFactory.getLogger(Mail.class);

    @OutboxHandler(id = "mail")
    void confirm(OrderPlaced event) {
        log.info("Order {} is confirmed: {}", event.orderId(), event.article());
    }
}
