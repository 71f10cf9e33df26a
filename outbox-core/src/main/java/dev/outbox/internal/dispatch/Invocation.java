package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.delivery.DeliveryOutcome;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.ConnectionFailures;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.payload.PayloadReader.EventPayload;
import dev.outbox.internal.payload.UndecodableException;
import dev.outbox.listener.OutboxListener;
import dev.outbox.listener.OutboxListener.Result;
import dev.outbox.retry.RetryPolicy;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Invokes one handler with one event and classifies the outcome. No exception of the handler leaves it. */
final class Invocation {

    private static final Logger log = LoggerFactory.getLogger(Invocation.class);

    /** Keeps attempts that fail at once and do not count from repeating without a pause. */
    private static final Duration SHORTEST_DELAY_UNCOUNTED = Duration.ofMillis(500);

    private static final String TIMEOUT = "HANDLER_TIMEOUT";
    private static final String CRASH_LOOP = "CRASH_LOOP";

    private final DispatchSettings settings;
    private final Map<String, Circuit> circuits;
    private final OutboxListener listener;
    private final Clock clock;
    private final RandomGenerator random;

    Invocation(
            DispatchSettings settings,
            Map<String, Circuit> circuits,
            OutboxListener listener,
            Clock clock,
            RandomGenerator random) {
        this.settings = settings;
        this.circuits = circuits;
        this.listener = listener;
        this.clock = clock;
        this.random = random;
    }

    /** Invokes the handler on the calling thread, unless its circuit is open or the event is in a crash loop. */
    DeliveryOutcome invoke(HandlerDefinition handler, EventEnvelope envelope, EventPayload payload, Attempt attempt) {
        Circuit circuit = circuits.get(handler.id());
        if (circuit != null && !circuit.pass()) {
            return new DeliveryOutcome.Queued();
        }
        OutboxListener.Attempt observed =
                new OutboxListener.Attempt(envelope.stream(), envelope.eventType(), handler.id());
        long begun = System.nanoTime();
        LogContext context = LogContext.enter(envelope, handler.id(), attempt.attempt());
        try {
            if (attempt.crashes() > policy(handler, envelope).maxCrashes()) {
                DeliveryOutcome crashed = crashed(handler, envelope, attempt);
                report(observed, crashed, Duration.ZERO, envelope);
                return crashed;
            }
            DeliveryOutcome outcome = attempt(handler, envelope, payload, attempt);
            report(observed, outcome, Duration.ofNanos(System.nanoTime() - begun), envelope);
            if (circuit != null) {
                updateCircuit(circuit, outcome, observed, envelope);
            }
            return outcome;
        } finally {
            context.leave();
            // The next handler on this thread must not inherit the flag; closing has its own.
            Thread.interrupted();
        }
    }

    private DeliveryOutcome crashed(HandlerDefinition handler, EventEnvelope envelope, Attempt attempt) {
        String message = "the lease expired in " + attempt.crashes()
                + " attempts: each time the instance crashed or stopped responding while it handled the event";
        log.error(
                "{} is not invoked with {} again: {}; the delivery is dead until an operator retries or skips it",
                handler.id(),
                envelope,
                message);
        return new DeliveryOutcome.Dead(new Failure(CRASH_LOOP, message), settings.blocksWhenDead(handler));
    }

    private RetryPolicy policy(HandlerDefinition handler, EventEnvelope envelope) {
        return settings.retry().of(envelope.stream(), handler.id());
    }

    private DeliveryOutcome attempt(
            HandlerDefinition handler, EventEnvelope envelope, EventPayload payload, Attempt attempt) {
        try {
            Object argument = payload.decode(handler);
            FaultPoint.BEFORE_HANDLER.reached();
            if (attempt.isLeaseLost()) {
                log.warn("{} is not invoked with {}: the lease has expired", handler.id(), envelope);
                return new DeliveryOutcome.Abandoned();
            }
            handler.handle(argument, envelope, attempt);
            FaultPoint.AFTER_HANDLER.reached();
            return new DeliveryOutcome.Succeeded();
        } catch (UndecodableException ex) {
            return dead(handler, envelope, ex.failure(), ex);
        } catch (TimeLimit.TimedOutException ex) {
            return failed(handler, envelope, attempt.failures() + 1, new Failure(TIMEOUT, Redaction.message(ex)), ex);
        } catch (Throwable ex) {
            boolean interrupted =
                    Thread.interrupted() || Causes.anyMatch(ex, (cause) -> cause instanceof InterruptedException);
            if (interrupted && attempt.guard().closing().getAsBoolean()) {
                log.info("{} was interrupted by the shutdown; the event will be delivered again", handler.id());
                return new DeliveryOutcome.Abandoned();
            }
            Failure failure = new Failure(ex.getClass().getSimpleName(), Redaction.message(ex));
            try {
                return failed(handler, envelope, attempt.failures() + 1, failure, ex);
            } catch (RuntimeException broken) {
                // The exception's own methods can throw too, here or in the logger.
                return failed(handler, envelope, attempt.failures() + 1, failure, broken);
            }
        }
    }

    private DeliveryOutcome failed(
            HandlerDefinition handler, EventEnvelope envelope, int failures, Failure failure, Throwable ex) {
        RetryPolicy policy = policy(handler, envelope);
        if (ex instanceof NonRetryableException) {
            return dead(handler, envelope, failure, ex);
        }
        boolean counts = !ConnectionFailures.isCausedBy(ex);
        Optional<Duration> next = policy.next(counts ? failures : 1, random);
        if (counts && (next.isEmpty() || isNonRetryable(ex, policy))) {
            return dead(handler, envelope, failure, ex);
        }
        Duration delay = ex instanceof RetryAfterException retryAfter
                ? retryAfter.delay()
                : next.orElseGet(() -> policy.backoff().delay(1, random));
        if (!counts && delay.compareTo(SHORTEST_DELAY_UNCOUNTED) < 0) {
            delay = SHORTEST_DELAY_UNCOUNTED;
        }
        log.warn(
                "{} failed with {} (attempt {}{}); next attempt in {} s",
                handler.id(),
                envelope,
                failures,
                counts ? "" : ", not counted because the database could not be reached",
                delay.toSeconds(),
                Redaction.loggable(ex));
        return new DeliveryOutcome.Retry(failure, delay, counts);
    }

    private static boolean isNonRetryable(Throwable ex, RetryPolicy policy) {
        return !(ex instanceof RetryAfterException) && !policy.errors().isRetryable(ex);
    }

    private DeliveryOutcome dead(HandlerDefinition handler, EventEnvelope envelope, Failure failure, Throwable ex) {
        boolean blocks = settings.blocksWhenDead(handler);
        log.error(
                "{} gave up on {}: {}; the delivery is dead until an operator retries or skips it{}",
                handler.id(),
                envelope,
                failure.code(),
                blocks ? ", and the handler's later events of the aggregate wait" : "",
                Redaction.loggable(ex));
        return new DeliveryOutcome.Dead(failure, blocks);
    }

    private void updateCircuit(
            Circuit circuit, DeliveryOutcome outcome, OutboxListener.Attempt observed, EventEnvelope envelope) {
        if (outcome instanceof DeliveryOutcome.Succeeded) {
            circuit.succeeded();
        } else if (!(outcome instanceof DeliveryOutcome.Abandoned) && circuit.failed(envelope)) {
            listener.circuitOpened(observed.stream(), observed.handlerId());
        }
    }

    private void report(
            OutboxListener.Attempt attempt, DeliveryOutcome outcome, Duration duration, EventEnvelope envelope) {
        if (outcome instanceof DeliveryOutcome.Succeeded) {
            listener.handled(attempt, Result.SUCCESS, duration);
            listener.delivered(envelope.stream(), Duration.between(envelope.occurredAt(), clock.instant()));
        } else if (outcome instanceof DeliveryOutcome.Retry) {
            listener.handled(attempt, Result.RETRY, duration);
        } else if (outcome instanceof DeliveryOutcome.Dead) {
            listener.handled(attempt, Result.DEAD, duration);
        }
    }
}
