package dev.outbox.benchmarks.namastack;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.annotation.OutboxFallbackHandler;
import io.namastack.outbox.annotation.OutboxHandler;
import io.namastack.outbox.handler.OutboxFailureContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/** The code before the move in the guide for users of namastack-outbox. */
class OrdersWithNamastack {

    private final JdbcClient jdbc;
    private final Outbox outbox;

    OrdersWithNamastack(JdbcClient jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    record OrderPlaced(String orderId, String article) {}

    interface Mail {

        void confirm(OrderPlaced event);

        void giveUp(String orderId);
    }

    @Transactional
    public void place(String orderId, String article) {
        jdbc.sql("INSERT INTO orders (id, article) VALUES (?, ?)")
                .params(orderId, article)
                .update();
        outbox.schedule(new OrderPlaced(orderId, article), orderId);
    }

    static class Confirmations {

        private final Mail mail;

        Confirmations(Mail mail) {
            this.mail = mail;
        }

        @OutboxHandler
        public void confirm(OrderPlaced event) {
            mail.confirm(event);
        }

        @OutboxFallbackHandler
        public void gaveUp(OrderPlaced event, OutboxFailureContext context) {
            mail.giveUp(context.getRecordKey());
        }
    }
}
