package dev.outbox.internal.dispatch;

import dev.outbox.internal.background.Lease;
import java.util.function.BooleanSupplier;

/** What bounds the work on what was claimed. */
public record LeaseGuard(Lease lease, BooleanSupplier partLost, BooleanSupplier closing) {

    /** Creates bounds for work that is lost or held as a whole. */
    public LeaseGuard(Lease lease, BooleanSupplier closing) {
        this(lease, () -> false, closing);
    }

    /** Says whether nothing more should be begun. May ask the database. */
    public boolean isOver() {
        return closing.getAsBoolean() || !mayStart();
    }

    /** Says whether a handler may start. May ask the database. */
    boolean mayStart() {
        return lease.isHeld() && !partLost.getAsBoolean();
    }

    /** Whether another process may have the work by now. Does not ask. */
    boolean isLeaseLost() {
        return lease.isLost() || partLost.getAsBoolean();
    }
}
