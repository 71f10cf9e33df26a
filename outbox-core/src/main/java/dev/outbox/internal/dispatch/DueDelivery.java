package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.lease.Fence;

/** A delivery that this process may attempt now. */
public record DueDelivery(
        EventEnvelope envelope, String handlerId, int attempt, int failures, int crashes, Fence fence) {

    /** Returns whether this is a crash suspect, that is, whether two of its leases expired. */
    public boolean isSuspect() {
        return crashes > 1;
    }
}
