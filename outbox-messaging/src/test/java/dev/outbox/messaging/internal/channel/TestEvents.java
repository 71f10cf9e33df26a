package dev.outbox.messaging.internal.channel;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Events of a shop and their messages. */
final class TestEvents {

    static final Instant TIME = Instant.parse("2026-03-01T12:00:00.123456Z");

    private TestEvents() {}

    /** Event of an order, whose payload names it: {@code "a1"} is the first event of order a. */
    static EventEnvelope event(String orderAndSequence, Map<String, String> headers) {
        return new EventEnvelope(
                1,
                UUID.nameUUIDFromBytes(orderAndSequence.getBytes(UTF_8)),
                "default",
                "Order",
                orderAndSequence.substring(0, 1),
                Long.parseLong(orderAndSequence.substring(1)),
                "OrderPlaced",
                2,
                "\"" + orderAndSequence + "\"",
                headers,
                TIME,
                false);
    }

    /** Message of a route to the channel {@code orders}. */
    static ChannelMessage message(String orderAndSequence, Confirmation confirmation, Duration timeout) {
        return messages(confirmation, timeout).apply(event(orderAndSequence, Map.of()));
    }

    static ChannelMessages messages(Confirmation confirmation, Duration timeout) {
        return new ChannelMessages("orders", route(confirmation, timeout), "/shop");
    }

    static ChannelRoute route(Confirmation confirmation, Duration timeout) {
        return new ChannelRoute(
                Set.of(),
                Set.of("Order"),
                Set.of(),
                "orders",
                confirmation,
                List.of("reports"),
                timeout,
                false,
                List.of());
    }
}
