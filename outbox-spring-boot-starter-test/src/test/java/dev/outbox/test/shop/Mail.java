package dev.outbox.test.shop;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Handler that is idempotent by the key of its table. */
@Component
class Mail {

    private final JdbcClient jdbc;

    Mail(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @OutboxHandler(id = "mail")
    void confirm(OrderPlaced order, EventEnvelope event) {
        jdbc.sql("INSERT INTO sent_mail (event_id, order_id) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .params(event.eventId(), order.orderId())
                .update();
    }
}
