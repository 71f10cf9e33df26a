package dev.outbox.internal.dispatch;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.payload.PayloadReader.EventPayload;
import dev.outbox.internal.publish.Aggregate;
import dev.outbox.internal.sql.BoundConnection;
import java.sql.SQLException;
import java.util.List;

/** One attempt of a handler at an event: the event, the attempt number, failures and crashes so far, and the lease. */
record Attempt(EventEnvelope envelope, EventPayload payload, int attempt, int failures, int crashes, LeaseGuard guard)
        implements EventContext {

    /** Returns one attempt at several events, under one lease, which the first of them represents. */
    static Attempt ofBatch(List<Attempt> attempts) {
        Attempt first = attempts.get(0);
        if (attempts.size() == 1) {
            return first;
        }
        int highest = attempts.stream().mapToInt(Attempt::attempt).max().orElse(1);
        return new Attempt(first.envelope, first.payload, highest, 0, 0, first.guard);
    }

    long id() {
        return envelope.id();
    }

    Aggregate aggregate() {
        return Aggregate.of(envelope);
    }

    /** Returns whether the shutdown interrupted the handler, and clears the interrupt flag. */
    boolean isInterruptedByShutdown(Throwable ex) {
        boolean interrupted =
                Thread.interrupted() || Causes.anyMatch(ex, (cause) -> cause instanceof InterruptedException);
        return interrupted && !(ex instanceof TimeLimit.TimedOutException) && guard.isClosing();
    }

    /** Precedes the code of the handler: what encloses it, such as a transaction or an interceptor, may have waited for longer than the lease. */
    void requireLease(BoundConnection transaction) throws LeaseLostException, SQLException {
        if (!(transaction.exists() ? guard.mayStartIn(transaction) : guard.mayStart())) {
            throw new LeaseLostException();
        }
    }

    /** Ends the work around a handler that must not start any more. */
    static final class LeaseLostException extends Exception {

        private static final long serialVersionUID = 1L;

        LeaseLostException() {
            super("the lease has ended before the handler began");
        }
    }

    @Override
    public boolean isLeaseLost() {
        return guard.isLeaseLost();
    }
}
