package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.publish.Aggregate;
import java.util.Set;

/** An event that this process may handle now, and how many of its claims have expired. */
public record ClaimedEvent(EventEnvelope envelope, int expiredClaims, Set<String> blockedHandlers) {

    public ClaimedEvent {
        blockedHandlers = Set.copyOf(blockedHandlers);
    }

    public Aggregate aggregate() {
        return Aggregate.of(envelope);
    }
}
