package dev.outbox.benchmarks.modulith;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.transaction.annotation.Transactional;

/** The code before the move in the guide for users of Spring Modulith. */
class OrdersWithModulith {

    private final JdbcClient jdbc;
    private final ApplicationEventPublisher events;

    OrdersWithModulith(JdbcClient jdbc, ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    record OrderPlaced(String orderId, String article) {}

    interface Mail {

        void confirm(OrderPlaced event);
    }

    @Transactional
    public void place(String orderId, String article) {
        jdbc.sql("INSERT INTO orders (id, article) VALUES (?, ?)")
                .params(orderId, article)
                .update();
        events.publishEvent(new OrderPlaced(orderId, article));
    }

    static class Confirmations {

        private final Mail mail;

        Confirmations(Mail mail) {
            this.mail = mail;
        }

        @ApplicationModuleListener
        void confirm(OrderPlaced event) {
            mail.confirm(event);
        }
    }
}
