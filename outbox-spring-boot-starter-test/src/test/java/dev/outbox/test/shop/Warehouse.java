package dev.outbox.test.shop;

import dev.outbox.OutboxHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Handler that adds a row for every delivery, and publishes an event. */
@Component
class Warehouse {

    private final JdbcClient jdbc;
    private final Orders orders;

    Warehouse(JdbcClient jdbc, Orders orders) {
        this.jdbc = jdbc;
        this.orders = orders;
    }

    @OutboxHandler(id = "warehouse")
    void ship(OrderPlaced order) {
        jdbc.sql("INSERT INTO shipment (order_id) VALUES (?)")
                .param(order.orderId())
                .update();
        orders.ship(order.orderId());
    }
}
