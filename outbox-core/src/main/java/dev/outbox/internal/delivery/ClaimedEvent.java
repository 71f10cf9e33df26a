package dev.outbox.internal.delivery;

import dev.outbox.EventEnvelope;
import java.util.Set;

/**
 * An event that this process may handle now.
 *
 * @param envelope the event
 * @param attemptCount how many passes have ended without success
 * @param blockedHandlers the handlers whose lane for the event's aggregate has work to do first
 */
public record ClaimedEvent(EventEnvelope envelope, int attemptCount, Set<String> blockedHandlers) {

    /** Copies the set. */
    public ClaimedEvent {
        blockedHandlers = Set.copyOf(blockedHandlers);
    }
}
