package dev.outbox.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.observe.OutboxObserver.Attempt;
import dev.outbox.observe.OutboxObserver.Result;
import dev.outbox.store.Failure;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Invokes one handler with one event, and judges what came of it. Whatever the handler throws ends here. */
final class Invocation {

    private static final Logger log = LoggerFactory.getLogger(Invocation.class);

    private static final String UNDECODABLE = "UNDECODABLE_PAYLOAD";

    private final RetryPolicies policies;
    private final OutboxObserver observer;
    private final Clock clock;
    private final RandomGenerator random;

    Invocation(RetryPolicies policies, OutboxObserver observer, Clock clock, RandomGenerator random) {
        this.policies = policies;
        this.observer = observer;
        this.clock = clock;
        this.random = random;
    }

    /**
     * Invokes the handler on the calling thread.
     *
     * @param failures how many attempts have failed before
     * @param closing whether the process is about to end, in which case an interrupt is not the handler's failure
     */
    Outcome invoke(
            HandlerDefinition handler,
            EventEnvelope envelope,
            Payloads payloads,
            int failures,
            BooleanSupplier closing) {
        Attempt attempt = new Attempt(envelope.stream(), envelope.eventType(), handler.id());
        long begun = System.nanoTime();
        LogContext context = LogContext.enter(envelope, handler.id(), failures + 1);
        try {
            Outcome outcome = attempt(handler, envelope, payloads, failures, closing);
            report(attempt, outcome, Duration.ofNanos(System.nanoTime() - begun), envelope);
            return outcome;
        } finally {
            context.leave();
        }
    }

    private Outcome attempt(
            HandlerDefinition handler,
            EventEnvelope envelope,
            Payloads payloads,
            int failures,
            BooleanSupplier closing) {
        try {
            handler.handle(payloads.decode(handler), envelope);
            return new Outcome.Succeeded();
        } catch (Payloads.UndecodableException ex) {
            return dead(handler, envelope, new Failure(UNDECODABLE, String.valueOf(ex.getMessage())), ex);
        } catch (Throwable ex) {
            // Clears the interrupt flag: the next handler must not inherit it.
            boolean interrupted = Thread.interrupted() || isInterrupt(ex);
            if (interrupted && closing.getAsBoolean()) {
                log.info(
                        "{} was interrupted by the end of the process; the event will be delivered again",
                        handler.id());
                return new Outcome.Abandoned();
            }
            return failed(handler, envelope, failures + 1, ex);
        }
    }

    private Outcome failed(HandlerDefinition handler, EventEnvelope envelope, int failures, Throwable ex) {
        Failure failure = new Failure(ex.getClass().getSimpleName(), messageOf(ex));
        if (ex instanceof NonRetryableException) {
            return dead(handler, envelope, failure, ex);
        }
        Optional<Duration> next = policies.of(envelope.stream(), handler.id()).next(failures, random);
        if (next.isEmpty()) {
            return dead(handler, envelope, failure, ex);
        }
        Duration delay = ex instanceof RetryAfterException retryAfter ? retryAfter.delay() : next.get();
        log.warn(
                "{} failed with {} (attempt {}); next attempt in {} s",
                handler.id(),
                envelope,
                failures,
                delay.toSeconds(),
                ex);
        return new Outcome.Failed(failure, delay);
    }

    private static Outcome dead(HandlerDefinition handler, EventEnvelope envelope, Failure failure, Throwable ex) {
        log.error(
                "{} gave up on {}: {}; it is dead until an operator retries or skips it",
                handler.id(),
                envelope,
                failure.code(),
                ex);
        return new Outcome.Dead(failure);
    }

    private void report(Attempt attempt, Outcome outcome, Duration duration, EventEnvelope envelope) {
        if (outcome instanceof Outcome.Succeeded) {
            observer.handled(attempt, Result.SUCCESS, duration);
            observer.delivered(envelope.stream(), Duration.between(envelope.occurredAt(), clock.instant()));
        } else if (outcome instanceof Outcome.Failed) {
            observer.handled(attempt, Result.RETRY, duration);
        } else if (outcome instanceof Outcome.Dead) {
            observer.handled(attempt, Result.DEAD, duration);
        }
    }

    private static boolean isInterrupt(Throwable ex) {
        Throwable cause = ex;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof InterruptedException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** An exception's own code may fail too. */
    private static String messageOf(Throwable ex) {
        try {
            return String.valueOf(ex.getMessage());
        } catch (RuntimeException broken) {
            return "its message could not be read";
        }
    }
}
