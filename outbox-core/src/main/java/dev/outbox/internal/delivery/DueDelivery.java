package dev.outbox.internal.delivery;

import dev.outbox.EventEnvelope;

/**
 * A delivery that this process may attempt now.
 *
 * @param envelope the event
 * @param handlerId the handler
 * @param attempt the number of this attempt, counting from 1
 * @param failures how many attempts have failed before
 * @param crashes how many attempts have ended with an expired lease before
 * @param fence what allows its worker to write
 */
public record DueDelivery(
        EventEnvelope envelope, String handlerId, int attempt, int failures, int crashes, Fence fence) {

    /**
     * Says whether two leases have expired under it, so that it may have taken its processes down.
     *
     * @return whether it has
     */
    public boolean isSuspect() {
        return crashes > 1;
    }
}
