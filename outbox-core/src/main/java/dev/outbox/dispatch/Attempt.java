package dev.outbox.dispatch;

import dev.outbox.EventContext;
import dev.outbox.store.DueDelivery;
import java.time.Clock;
import java.time.Instant;

/** One attempt of a handler, as far as the past and its bounds go. */
record Attempt(int attempt, int failures, int crashes, Shift shift, Clock clock) implements EventContext {

    /** The first time that a handler gets an event. */
    static Attempt first(Shift shift, Clock clock) {
        return new Attempt(1, 0, 0, shift, clock);
    }

    static Attempt of(DueDelivery delivery, Shift shift, Clock clock) {
        return new Attempt(delivery.attempt(), delivery.failures(), delivery.crashes(), shift, clock);
    }

    @Override
    public Instant leaseDeadline() {
        return clock.instant().plus(shift.lease().remaining());
    }

    @Override
    public boolean isLeaseLost() {
        return shift.isLeaseLost();
    }
}
