package dev.outbox.spring.tracing;

import dev.outbox.EventEnvelope;
import dev.outbox.spring.tracing.OutboxObservationDocumentation.HighCardinality;
import dev.outbox.spring.tracing.OutboxObservationDocumentation.LowCardinality;
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
                LowCardinality.STREAM.withValue(common(events, EventEnvelope::stream)),
                LowCardinality.EVENT_TYPE.withValue(common(events, EventEnvelope::eventType)));
    }

    static KeyValues highCardinality(List<EventEnvelope> events) {
        KeyValues number = KeyValues.of(HighCardinality.EVENTS.withValue(Integer.toString(events.size())));
        if (events.size() != 1) {
            return number;
        }
        EventEnvelope event = events.get(0);
        return number.and(
                HighCardinality.EVENT_ID.withValue(event.eventId().toString()),
                HighCardinality.AGGREGATE_TYPE.withValue(event.aggregateType()),
                HighCardinality.AGGREGATE_ID.withValue(event.aggregateId()));
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
