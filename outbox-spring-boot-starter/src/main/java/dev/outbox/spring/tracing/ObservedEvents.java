package dev.outbox.spring.tracing;

import dev.outbox.EventEnvelope;
import io.micrometer.common.KeyValues;
import java.util.List;
import java.util.function.Function;

/** Key values of the events of an observation. */
final class ObservedEvents {

    private static final String UNKNOWN = "unknown";
    private static final String MIXED = "mixed";

    private ObservedEvents() {}

    static KeyValues lowCardinality(List<EventEnvelope> events) {
        return KeyValues.of(
                "stream", common(events, EventEnvelope::stream),
                "event.type", common(events, EventEnvelope::eventType));
    }

    static KeyValues highCardinality(List<EventEnvelope> events) {
        KeyValues number = KeyValues.of("events", Integer.toString(events.size()));
        if (events.size() != 1) {
            return number;
        }
        EventEnvelope event = events.get(0);
        return number.and(
                "event.id", event.eventId().toString(),
                "aggregate.type", event.aggregateType(),
                "aggregate.id", event.aggregateId());
    }

    private static String common(List<EventEnvelope> events, Function<EventEnvelope, String> property) {
        List<String> values = events.stream().map(property).distinct().limit(2).toList();
        return switch (values.size()) {
            case 0 -> UNKNOWN;
            case 1 -> values.get(0);
            default -> MIXED;
        };
    }
}
