package dev.outbox.internal.delivery;

import dev.outbox.EventEnvelope;

/** A delivery that this process may attempt now. */
public record DueDelivery(
        EventEnvelope envelope, String handlerId, int attempt, int failures, int crashes, Fence fence) {

    /** Returns whether this is a crash suspect, that is, whether two of its leases expired. */
    public boolean isSuspect() {
        return crashes > 1;
    }
}
