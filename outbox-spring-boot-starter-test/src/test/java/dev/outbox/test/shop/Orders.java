package dev.outbox.test.shop;

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
    public void place(String id, String article) {
        jdbc.sql("INSERT INTO orders (id, article) VALUES (?, ?)")
                .params(id, article)
                .update();
        outbox.publish("order", id, new OrderPlaced(id, article));
    }

    @Transactional
    public void ship(String id) {
        outbox.publish("order", id, new OrderShipped(id));
    }

    @Transactional
    public void count(String article) {
        outbox.publish("article", article, new StockCounted(article));
    }
}
