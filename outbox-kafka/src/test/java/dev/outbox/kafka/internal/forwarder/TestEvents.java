package dev.outbox.kafka.internal.forwarder;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Events and routes of a shop. */
final class TestEvents {

    static final Instant TIME = Instant.parse("2026-03-01T12:00:00.123456Z");

    private TestEvents() {}

    /** Event of an order, whose payload names it: {@code "a1"} is the first event of order a. */
    static EventEnvelope event(String orderAndSequence) {
        return event(orderAndSequence, "OrderPlaced", Map.of());
    }

    static EventEnvelope event(String orderAndSequence, String type, Map<String, String> headers) {
        return new EventEnvelope(
                1,
                UUID.nameUUIDFromBytes(orderAndSequence.getBytes(UTF_8)),
                "default",
                "Order",
                orderAndSequence.substring(0, 1),
                Long.parseLong(orderAndSequence.substring(1)),
                type,
                2,
                "\"" + orderAndSequence + "\"",
                headers,
                TIME,
                false);
    }

    static Route orders() {
        return route("orders");
    }

    static Route route(String topic) {
        return new Route(Set.of(), Set.of("Order"), Set.of(), topic, false, null, List.of());
    }
}
