package dev.outbox.kafka.internal.forwarder;

import dev.outbox.EventEnvelope;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Events and routes of a shop. */
final class TestEvents {

    static final UUID EVENT_ID = UUID.fromString("01890000-0000-7000-8000-000000000001");
    static final Instant TIME = Instant.parse("2026-03-01T12:00:00.123456Z");

    private TestEvents() {}

    /** Event of an order, whose payload names it: {@code "a1"} is the first event of order a. */
    static EventEnvelope event(String orderAndSequence) {
        return event(orderAndSequence, "OrderPlaced", Map.of());
    }

    static EventEnvelope event(String orderAndSequence, String type, Map<String, String> headers) {
        return new EventEnvelope(
                1,
                EVENT_ID,
                "default",
                "Order",
                orderAndSequence.substring(0, 1),
                Long.parseLong(orderAndSequence.substring(1)),
                type,
                2,
                "\"" + orderAndSequence + "\"",
                headers,
                TIME);
    }

    static Route orders() {
        return orders(RecordKey.AGGREGATE_ID, null);
    }

    static Route orders(RecordKey key, @Nullable Set<String> headers) {
        return route("orders", key, headers);
    }

    static Route route(String topic, RecordKey key, @Nullable Set<String> headers) {
        return new Route(
                Set.of(),
                Set.of("Order"),
                Set.of(),
                topic,
                key,
                headers,
                false,
                null,
                new Route.Producer(Map.of()),
                List.of(),
                true);
    }
}
