package dev.outbox.internal.dispatch;

import dev.outbox.EventContext;
import dev.outbox.internal.delivery.DueDelivery;
import java.time.Clock;
import java.time.Instant;

/** Attempt number, failure and crash counts, and lease of one handler invocation. */
record Attempt(int attempt, int failures, int crashes, LeaseGuard guard, Clock clock) implements EventContext {

    /** The first time that a handler gets an event. */
    static Attempt first(LeaseGuard guard, Clock clock) {
        return new Attempt(1, 0, 0, guard, clock);
    }

    static Attempt of(DueDelivery delivery, LeaseGuard guard, Clock clock) {
        return new Attempt(delivery.attempt(), delivery.failures(), delivery.crashes(), guard, clock);
    }

    @Override
    public Instant leaseDeadline() {
        return clock.instant().plus(guard.lease().remaining());
    }

    @Override
    public boolean isLeaseLost() {
        return guard.isLeaseLost();
    }
}
