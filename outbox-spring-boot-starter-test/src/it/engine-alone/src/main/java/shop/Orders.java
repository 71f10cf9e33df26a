package shop;

import dev.outbox.OutboxPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

    private final OutboxPublisher outbox;

    Orders(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    @Transactional
    public void place(String id, String article) {
        outbox.publish("order", id, new OrderPlaced(article, 1));
    }
}
