package shop;

import dev.outbox.OutboxPublisher;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

    @Autowired OutboxPublisher outbox;

    @Transactional
    public void place(String id, String article) {
        outbox.publish("order", id, new OrderPlaced(article));
    }
}
