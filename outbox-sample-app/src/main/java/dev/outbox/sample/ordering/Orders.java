package dev.outbox.sample.ordering;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.OrderEvent;
import dev.outbox.sample.events.OrderEvent.OrderCanceled;
import dev.outbox.sample.events.OrderEvent.OrderItemChanged;
import dev.outbox.sample.events.OrderEvent.OrderPaid;
import dev.outbox.sample.events.OrderEvent.OrderPlaced;
import dev.outbox.sample.web.Name;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Orders over HTTP. Each change is published with the new version as its sequence. */
@RestController
@RequestMapping("/orders")
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
    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Order place(@Valid @RequestBody PlaceOrder request) {
        Order order = jdbc.sql(PLACE).paramSource(request).query(Order.class).single();
        publish(order, new OrderPlaced(request.item()));
        return order;
    }

    @Transactional
    @PutMapping("/{id}/item")
    Order changeItem(@PathVariable String id, @Valid @RequestBody PlaceOrder request) {
        Order order = change(id, request.item(), null);
        publish(order, new OrderItemChanged(order.item()));
        return order;
    }

    @Transactional
    @PostMapping("/{id}/payment")
    Order pay(@PathVariable String id) {
        Order order = change(id, null, "paid");
        publish(order, new OrderPaid(order.item(), Instant.now()));
        return order;
    }

    @Transactional
    @DeleteMapping("/{id}")
    Order cancel(@PathVariable String id) {
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

    record PlaceOrder(@Name String item) {}
}
