package dev.outbox.sample.fulfilment;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.OrderEvent;
import dev.outbox.sample.events.OrderEvent.OrderCanceled;
import dev.outbox.sample.events.OrderEvent.OrderItemChanged;
import dev.outbox.sample.events.OrderEvent.OrderPaid;
import dev.outbox.sample.events.OrderEvent.OrderPlaced;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

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

    Fulfilments(JdbcClient jdbc, Checkpoint checkpoint) {
        this.jdbc = jdbc;
        this.checkpoint = checkpoint;
    }

    @Transactional
    @OutboxHandler(id = "fulfilment.order")
    void follow(OrderEvent event, EventEnvelope envelope) {
        if (!checkpoint.admit(envelope)) {
            return;
        }
        if (event instanceof OrderPlaced placed) {
            begin(envelope, placed.item());
        } else if (event instanceof OrderItemChanged changed) {
            change(envelope, changed.item(), null);
        } else if (event instanceof OrderPaid) {
            change(envelope, null, "ready");
        } else if (event instanceof OrderCanceled) {
            change(envelope, null, "stopped");
        } else {
            throw new IllegalStateException("orders do not follow " + event);
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
