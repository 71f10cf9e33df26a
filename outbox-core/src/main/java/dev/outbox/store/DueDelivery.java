package dev.outbox.store;

import dev.outbox.EventEnvelope;

/**
 * A delivery that this process may attempt now.
 *
 * @param envelope the event
 * @param handlerId the handler
 * @param attempt the number of this attempt, counting from 1; the token that fences its outcome
 * @param failures how many attempts have failed before
 * @param crashes how many attempts have ended with an expired lease before
 */
public record DueDelivery(EventEnvelope envelope, String handlerId, int attempt, int failures, int crashes) {

    /**
     * Says whether it has outlived a lease, and so may have taken its process down.
     *
     * @return whether it has
     */
    public boolean isSuspect() {
        return crashes > 0;
    }
}
