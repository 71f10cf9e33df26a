package dev.outbox.kafka.internal.forwarder;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import java.util.Set;
import java.util.TreeSet;

/** Events of a route: those whose type, aggregate type or stream has one of the names. */
public record Selector(Kind kind, Set<String> names) {

    /** What the names are. */
    public enum Kind {
        EVENT_TYPES("event type"),
        AGGREGATE_TYPES("aggregate type"),
        STREAMS("stream");

        private final String noun;

        Kind(String noun) {
            this.noun = noun;
        }
    }

    /** Copies the names. */
    public Selector {
        names = Set.copyOf(names);
    }

    boolean selects(EventEnvelope event) {
        return switch (kind) {
            case EVENT_TYPES -> names.contains(event.eventType()) || names.contains(HandlerDefinition.ALL_EVENT_TYPES);
            case AGGREGATE_TYPES -> names.contains(event.aggregateType());
            case STREAMS -> names.contains(event.stream());
        };
    }

    /** Returns the event types to subscribe to. */
    public Set<String> eventTypes() {
        return kind == Kind.EVENT_TYPES ? names : Set.of(HandlerDefinition.ALL_EVENT_TYPES);
    }

    /** Returns the names that another selector of the same kind has too. */
    Set<String> shared(Selector other) {
        Set<String> shared = new TreeSet<>(names);
        shared.retainAll(kind == other.kind ? other.names : Set.of());
        return shared;
    }

    /** Names the events, for messages. */
    @Override
    public String toString() {
        return kind.noun + " " + String.join(", ", new TreeSet<>(names));
    }
}
