package shop;

import dev.outbox.OutboxPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Orders(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    public void place(String orderId, String article) {
        jdbc.sql("INSERT INTO orders (id, article) VALUES (?, ?)")
                .params(orderId, article)
                .update();
        outbox.publish("order", orderId, new OrderPlaced(orderId, article));
    }
}
