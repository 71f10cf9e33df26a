package dev.outbox.sample.fulfilment;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.OrderEvent.OrderItemChanged;
import dev.outbox.sample.events.OrderEvent.OrderPlaced;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** State machine of orders, which relies on events in order: a payment must not precede its order. */
@Service
class Fulfilments {

    private static final String BEGIN = """
            INSERT INTO fulfilment.fulfilments (order_id, item)
            VALUES (:orderId, :item)
            """;

    private static final String CHANGE = """
            UPDATE fulfilment.fulfilments
               SET item = coalesce(:item, item), status = coalesce(:status, status)
             WHERE order_id = :orderId
               AND status = 'waiting'
            """;

    private final JdbcClient jdbc;
    private final Checkpoint checkpoint;
    private final JsonMapper json;

    Fulfilments(JdbcClient jdbc, Checkpoint checkpoint, JsonMapper json) {
        this.jdbc = jdbc;
        this.checkpoint = checkpoint;
        this.json = json;
    }

    @Transactional
    @OutboxHandler(
            id = "fulfilment.order",
            eventTypes = {"OrderPlaced", "OrderItemChanged", "OrderPaid", "OrderCanceled"})
    void follow(JsonNode payload, EventEnvelope event) {
        if (!checkpoint.admit(event)) {
            return;
        }
        switch (event.eventType()) {
            case "OrderPlaced" ->
                begin(event, json.treeToValue(payload, OrderPlaced.class).item());
            case "OrderItemChanged" ->
                change(event, json.treeToValue(payload, OrderItemChanged.class).item(), null);
            case "OrderPaid" -> change(event, null, "ready");
            case "OrderCanceled" -> change(event, null, "stopped");
            default -> throw new IllegalStateException("no subscription for " + event);
        }
    }

    private void begin(EventEnvelope event, String item) {
        jdbc.sql(BEGIN)
                .param("orderId", event.aggregateId())
                .param("item", item)
                .update();
    }

    private void change(EventEnvelope event, @Nullable String item, @Nullable String status) {
        int changed = jdbc.sql(CHANGE)
                .param("orderId", event.aggregateId())
                .param("item", item)
                .param("status", status)
                .update();
        if (changed != 1) {
            throw new IllegalStateException(event + " came to an order that waits for nothing");
        }
    }
}
