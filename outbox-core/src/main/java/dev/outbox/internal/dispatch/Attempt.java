package dev.outbox.internal.dispatch;

import dev.outbox.EventContext;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.lease.LeaseGuard;
import java.time.Clock;
import java.time.Instant;
import java.util.List;

/** Attempt number, failure and crash counts, and lease of one handler invocation. */
record Attempt(int attempt, int failures, int crashes, LeaseGuard guard, Clock clock) implements EventContext {

    /** The first time that a handler gets an event. */
    static Attempt first(LeaseGuard guard, Clock clock) {
        return new Attempt(1, 0, 0, guard, clock);
    }

    static Attempt of(DueDelivery delivery, LeaseGuard guard, Clock clock) {
        return new Attempt(delivery.attempt(), delivery.failures(), delivery.crashes(), guard, clock);
    }

    /** An attempt with several events, under one lease. */
    static Attempt ofBatch(List<Attempt> attempts, LeaseGuard guard, Clock clock) {
        int highest = attempts.stream().mapToInt(Attempt::attempt).max().orElse(1);
        return new Attempt(highest, 0, 0, guard, clock);
    }

    /** Returns whether the shutdown interrupted the handler, and clears the interrupt flag. */
    boolean isInterruptedByShutdown(Throwable ex) {
        boolean interrupted =
                Thread.interrupted() || Causes.anyMatch(ex, (cause) -> cause instanceof InterruptedException);
        return interrupted
                && !(ex instanceof TimeLimit.TimedOutException)
                && guard.closing().getAsBoolean();
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
