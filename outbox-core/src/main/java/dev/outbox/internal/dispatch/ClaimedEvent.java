package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import java.util.Set;

/** An event that this process may handle now, and how many of its claims have expired. */
public record ClaimedEvent(EventEnvelope envelope, int expiredClaims, Set<String> blockedHandlers) {

    public ClaimedEvent {
        blockedHandlers = Set.copyOf(blockedHandlers);
    }

    /** Aggregate of an event: its events are handled in order. */
    public record Aggregate(String type, String id) {

        static Aggregate of(EventEnvelope envelope) {
            return new Aggregate(envelope.aggregateType(), envelope.aggregateId());
        }
    }

    public Aggregate aggregate() {
        return Aggregate.of(envelope);
    }
}
