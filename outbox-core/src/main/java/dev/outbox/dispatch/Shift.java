package dev.outbox.dispatch;

import dev.outbox.duty.Lease;
import java.util.function.BooleanSupplier;

/**
 * What bounds the work on what was claimed.
 *
 * @param lease the time for which it is this process's
 * @param closing whether the process is about to end, in which case an interrupt is not a handler's failure
 */
public record Shift(Lease lease, BooleanSupplier closing) {

    /**
     * Says whether nothing more should be begun.
     *
     * @return whether the process is about to end, or the lease is lost
     */
    public boolean isOver() {
        return closing.getAsBoolean() || lease.isLost();
    }
}
