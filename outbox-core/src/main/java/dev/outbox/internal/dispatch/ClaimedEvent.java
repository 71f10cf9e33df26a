package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import java.util.Set;

/** An event that this process may handle now. */
public record ClaimedEvent(EventEnvelope envelope, int attemptCount, Set<String> blockedHandlers) {

    public ClaimedEvent {
        blockedHandlers = Set.copyOf(blockedHandlers);
    }
}
