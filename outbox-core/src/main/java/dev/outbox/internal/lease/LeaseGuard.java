package dev.outbox.internal.lease;

import java.util.function.BooleanSupplier;

/** Lease and shutdown state that bound the work on a claim. */
public record LeaseGuard(Lease lease, BooleanSupplier closing) {

    /** Returns whether no more work may start; may query the database. */
    public boolean isOver() {
        return closing.getAsBoolean() || !mayStart();
    }

    /** Returns whether a handler may start; may query the database. */
    public boolean mayStart() {
        return lease.isHeld();
    }

    /** Returns whether another instance may have the work by now, without a query. */
    public boolean isLeaseLost() {
        return lease.isLost();
    }
}
