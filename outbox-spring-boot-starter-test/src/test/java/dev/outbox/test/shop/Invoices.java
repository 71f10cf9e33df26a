package dev.outbox.test.shop;

import dev.outbox.DeadLetter;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Handler that the deduplication of the outbox makes idempotent. Its dead letters raise an alarm. */
@Component
class Invoices {

    private final JdbcClient jdbc;

    Invoices(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @OutboxHandler(id = "invoice", deduplicate = true)
    void write(OrderShipped order) {
        jdbc.sql("INSERT INTO invoice (order_id) VALUES (?)")
                .param(order.orderId())
                .update();
    }

    @OutboxDeadLetter("invoice")
    void raise(DeadLetter letter) {
        jdbc.sql("INSERT INTO alarm (handler_id) VALUES (?)")
                .param(letter.handlerId())
                .update();
    }
}
