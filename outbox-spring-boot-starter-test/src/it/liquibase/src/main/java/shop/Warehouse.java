package shop;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class Warehouse {

    @Autowired
    JdbcClient jdbc;

    @OutboxHandler(id = "warehouse")
    void ship(OrderPlaced order, EventEnvelope event) {
        jdbc.sql("INSERT INTO shipment (event_id, article) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .params(event.eventId(), order.article())
                .update();
    }
}
