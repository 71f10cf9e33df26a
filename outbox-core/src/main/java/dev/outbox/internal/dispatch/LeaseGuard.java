package dev.outbox.internal.dispatch;

import dev.outbox.internal.background.Lease;
import java.util.function.BooleanSupplier;

/**
 * What bounds the work on what was claimed.
 *
 * @param lease the time for which it is this process's
 * @param partLost whether this part of it is lost although the lease as a whole is not
 * @param closing whether the process is about to end, in which case an interrupt is not a handler's failure
 */
public record LeaseGuard(Lease lease, BooleanSupplier partLost, BooleanSupplier closing) {

    /**
     * Creates bounds for work that is lost or held as a whole.
     *
     * @param lease the time for which it is this process's
     * @param closing whether the process is about to end
     */
    public LeaseGuard(Lease lease, BooleanSupplier closing) {
        this(lease, () -> false, closing);
    }

    /**
     * Says whether nothing more should be begun. May ask the database.
     *
     * @return whether the process is about to end, or the lease is lost or cannot be confirmed
     */
    public boolean isOver() {
        return closing.getAsBoolean() || !mayStart();
    }

    /**
     * Says whether a handler may start. May ask the database.
     *
     * @return whether the database has just confirmed that the work is this process's
     */
    boolean mayStart() {
        return lease.isHeld() && !partLost.getAsBoolean();
    }

    /** Whether another process may have the work by now. Does not ask. */
    boolean isLeaseLost() {
        return lease.isLost() || partLost.getAsBoolean();
    }
}
