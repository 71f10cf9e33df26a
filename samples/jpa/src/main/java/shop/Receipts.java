package shop;

import dev.outbox.OutboxHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
class Receipts {

    private static final Logger log = LoggerFactory.getLogger(Receipts.class);

    private final OrderRepository orders;

    Receipts(OrderRepository orders) {
        this.orders = orders;
    }

    @Transactional
    @OutboxHandler(id = "receipts")
    void write(OrderPaid event) {
        Order order = orders.findById(event.orderId()).orElseThrow();
        order.writeReceipt();
        log.info("Order {}: {}", event.orderId(), order.getReceipt());
    }
}
