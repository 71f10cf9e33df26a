package dev.outbox.sample.ordering;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.OrderEvent;
import dev.outbox.sample.events.OrderEvent.OrderCanceled;
import dev.outbox.sample.events.OrderEvent.OrderItemChanged;
import dev.outbox.sample.events.OrderEvent.OrderPaid;
import dev.outbox.sample.events.OrderEvent.OrderPlaced;
import dev.outbox.sample.web.NotFoundException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Changes orders, and publishes each change with the new version as its sequence. */
@Service
class Orders {

    private static final String PLACE = """
            INSERT INTO ordering.orders (item)
            VALUES (:item)
            RETURNING id, item, status, version
            """;

    private static final String CHANGE = """
            UPDATE ordering.orders
               SET item = coalesce(:item, item), status = coalesce(:status, status), version = version + 1
             WHERE id = :id
               AND status = 'placed'
            RETURNING id, item, status, version
            """;

    private static final String FIND = """
            SELECT id, item, status, version
              FROM ordering.orders
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Orders(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    Order place(String item) {
        Order order = jdbc.sql(PLACE).param("item", item).query(Order.class).single();
        publish(order, new OrderPlaced(item));
        return order;
    }

    @Transactional
    Order changeItem(String id, String item) {
        Order order = change(id, item, null);
        publish(order, new OrderItemChanged(item));
        return order;
    }

    @Transactional
    Order pay(String id) {
        Order order = change(id, null, "paid");
        publish(order, new OrderPaid(order.item(), Instant.now()));
        return order;
    }

    @Transactional
    Order cancel(String id) {
        Order order = change(id, null, "canceled");
        publish(order, new OrderCanceled("by request"));
        return order;
    }

    private Order change(String id, @Nullable String item, @Nullable String status) {
        return jdbc.sql(CHANGE)
                .param("id", id)
                .param("item", item)
                .param("status", status)
                .query(Order.class)
                .optional()
                .orElseThrow(() -> cannotChange(id));
    }

    private ResponseStatusException cannotChange(String id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(Order.class)
                .optional()
                .map((order) ->
                        new ResponseStatusException(HttpStatus.CONFLICT, "order " + id + " is " + order.status()))
                .orElseGet(() -> new NotFoundException("order", id));
    }

    private void publish(Order order, OrderEvent event) {
        outbox.publish(OutboxEvent.of("order", order.id(), event).withSequence(order.version()));
    }
}
