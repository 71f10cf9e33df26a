package dev.outbox.internal.lease;

import dev.outbox.internal.sql.BoundConnection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/** Lease and shutdown state that bound the work on a claim. */
public final class LeaseGuard {

    private final Lease lease;
    private final BooleanSupplier closing;
    private volatile boolean refused;

    public LeaseGuard(Lease lease, BooleanSupplier closing) {
        this.lease = lease;
        this.closing = closing;
    }

    /** Returns whether the process is being stopped. */
    public boolean isClosing() {
        return closing.getAsBoolean();
    }

    /** Returns whether no more work may start; may query the database. */
    public boolean isOver() {
        return isClosing() || !mayStart();
    }

    /** Returns whether a handler may start; may query the database. */
    public boolean mayStart() {
        boolean held = lease.isHeld();
        refused |= !held;
        return held;
    }

    /** Returns the same to a thread whose transaction has a connection; may query the database on that. */
    public boolean mayStartIn(BoundConnection transaction) throws SQLException {
        boolean held = lease.isHeldIn(transaction);
        refused |= !held;
        return held;
    }

    /** Returns whether a handler was not allowed to start. */
    public boolean hasRefused() {
        return refused;
    }

    /** Returns whether another instance may have the work by now, without a query. */
    public boolean isLeaseLost() {
        return lease.isLost();
    }
}
