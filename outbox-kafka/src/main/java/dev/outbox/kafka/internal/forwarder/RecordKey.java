package dev.outbox.kafka.internal.forwarder;

import dev.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;

/** Key of a record. */
public enum RecordKey {
    /** The aggregate id: all events of an aggregate go to one partition. */
    AGGREGATE_ID,
    /** The event id. */
    EVENT_ID,
    /** No key. */
    NONE;

    @Nullable
    String of(EventEnvelope event) {
        return switch (this) {
            case AGGREGATE_ID -> event.aggregateId();
            case EVENT_ID -> event.eventId().toString();
            case NONE -> null;
        };
    }
}
