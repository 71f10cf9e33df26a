package dev.outbox.internal.delivery;

import dev.outbox.EventEnvelope;

/** A delivery that this process may attempt now. */
public record DueDelivery(
        EventEnvelope envelope, String handlerId, int attempt, int failures, int crashes, Fence fence) {

    /** Says whether two leases have expired under it, so that it may have taken its processes down. */
    public boolean isSuspect() {
        return crashes > 1;
    }
}
