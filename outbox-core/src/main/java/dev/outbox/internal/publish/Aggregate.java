package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;

/** Aggregate of events: those of one are handled in order. */
public record Aggregate(String type, String id) implements Comparable<Aggregate> {

    /** Returns the aggregate of an event. */
    public static Aggregate of(EventEnvelope envelope) {
        return new Aggregate(envelope.aggregateType(), envelope.aggregateId());
    }

    @Override
    public int compareTo(Aggregate other) {
        int byType = type.compareTo(other.type);
        return byType != 0 ? byType : id.compareTo(other.id);
    }

    @Override
    public String toString() {
        return type + "/" + id;
    }
}
