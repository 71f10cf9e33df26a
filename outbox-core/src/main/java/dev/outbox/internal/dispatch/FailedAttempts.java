package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.payload.UndecodableException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what follows a failed attempt: another attempt after a delay, or a dead letter. */
final class FailedAttempts {

    private static final Logger log = LoggerFactory.getLogger(FailedAttempts.class);

    /** Keeps attempts that fail at once and do not count from repeating without a pause. */
    private static final Duration SHORTEST_DELAY_UNCOUNTED = Duration.ofMillis(500);

    private static final String CRASH_LOOP = "CRASH_LOOP";

    private final DispatchSettings settings;
    private final RandomGenerator random;
    private final FailureLog failures;
    private final FailureObserver observer;

    FailedAttempts(DispatchSettings settings, RandomGenerator random, FailureLog failures, FailureObserver observer) {
        this.settings = settings;
        this.random = random;
        this.failures = failures;
        this.observer = observer;
    }

    private RetryPolicy policy(HandlerDefinition handler, Attempt attempt) {
        return settings.policyOf(attempt.envelope().stream(), handler);
    }

    boolean isCrashLoop(HandlerDefinition handler, Attempt attempt) {
        return attempt.crashes() > policy(handler, attempt).maxCrashes();
    }

    DeliveryOutcome crashed(HandlerDefinition handler, Attempt attempt) {
        String message = "the lease expired in " + attempt.crashes()
                + " attempts: each time the instance crashed or stopped responding while it handled the event";
        failures.dead(handler.id(), CRASH_LOOP, null)
                .log(
                        "{} is not invoked with {} again: {}; the delivery is dead until an operator retries or skips it",
                        handler.id(),
                        attempt.envelope(),
                        message);
        return DeliveryOutcome.dead(new Failure(CRASH_LOOP, message), handler.onDead() == OnDead.BLOCK);
    }

    DeliveryOutcome unreadable(HandlerDefinition handler, Attempt attempt, Failure failure) {
        failures.dead(handler.id(), failure.code(), null)
                .log(
                        "{} does not get {}: {}; the delivery is dead until an operator retries or skips it",
                        handler.id(),
                        attempt.envelope(),
                        failure.message());
        return DeliveryOutcome.dead(failure, handler.onDead() == OnDead.BLOCK);
    }

    /** The last attempt at an event that has failed is made alone: it may be the one that makes the handler throw for all of a batch. */
    List<Attempt> together(HandlerDefinition handler, List<Attempt> attempts) {
        int size = 0;
        while (size < attempts.size() && !isLast(handler, attempts.get(size))) {
            size++;
        }
        return attempts.subList(0, Math.max(size, 1));
    }

    private boolean isLast(HandlerDefinition handler, Attempt attempt) {
        return attempt.failures() > 0
                && policy(handler, attempt).next(attempt.failures() + 1, random).isEmpty();
    }

    /** Decides what follows, and logs it. */
    DeliveryOutcome failed(HandlerDefinition handler, Attempt attempt, Throwable ex) {
        DeliveryOutcome outcome = decide(handler, attempt, ex, true);
        log(handler, attempt, outcome, ex);
        return outcome;
    }

    /** Logs a success after failures. Attempts that did not count are left out: what they waited for has lines of its own. */
    void handled(HandlerDefinition handler, Attempt attempt) {
        int failed = attempt.failures();
        if (failed > 0) {
            failures.handled(handler.id())
                    .log(
                            "{} handled {} after {} failed {}",
                            handler.id(),
                            attempt.envelope(),
                            failed,
                            failed == 1 ? "attempt" : "attempts");
        }
    }

    /** Returns what is stored about a failure. Never fails. */
    static Failure failure(Throwable ex) {
        return ex instanceof UndecodableException undecodable
                ? undecodable.failure()
                : Failure.of(FailureLog.code(ex), ex);
    }

    /** Decides what follows for one of several events that failed together: never a dead letter, because only one may be at fault. */
    DeliveryOutcome failedTogether(HandlerDefinition handler, Attempt attempt, Throwable ex) {
        return decide(handler, attempt, ex, false);
    }

    /** Logs that events failed together. */
    void logTogether(HandlerDefinition handler, int events, Throwable ex) {
        if (Causes.isSelfReported(ex)) {
            log.debug("{} lets {} events wait: {}", handler.id(), events, ex.getMessage());
            return;
        }
        failures.retry(handler.id(), events, ex)
                .log(
                        "{} failed with {} events; they are delivered again, and each alone at its last attempt",
                        handler.id(),
                        events);
    }

    private DeliveryOutcome decide(HandlerDefinition handler, Attempt attempt, Throwable ex, boolean mayDie) {
        observer.handlerFailed(handler.id(), attempt.envelope(), ex);
        RetryPolicy policy = policy(handler, attempt);
        boolean counts = counts(ex);
        Optional<Duration> next = policy.next(attempt.failures() + 1, random);
        boolean last = ex instanceof NonRetryableException
                || ex instanceof UndecodableException
                || (counts && (next.isEmpty() || isNonRetryable(ex, policy)));
        if (last && mayDie) {
            return DeliveryOutcome.dead(failure(ex), handler.onDead() == OnDead.BLOCK);
        }
        Duration delay = counts
                ? next.orElseGet(() -> policy.backoff().delay(1, random))
                : policy.backoff().delay(attempt.attempt() - attempt.failures(), random);
        return DeliveryOutcome.retry(failure(ex), bounded(ex, delay, counts), counts);
    }

    private static boolean counts(Throwable ex) {
        return !(ex instanceof RetryAfterException asked && !asked.isCounted()) && !Causes.isOutage(ex);
    }

    /** Returns a delay that the arithmetic of Java and PostgreSQL can bear, whatever another system has asked for. */
    private static Duration bounded(Throwable ex, Duration ofPolicy, boolean counts) {
        Duration delay = ex instanceof RetryAfterException retryAfter ? retryAfter.delay() : ofPolicy;
        if (!counts && delay.compareTo(SHORTEST_DELAY_UNCOUNTED) < 0) {
            return SHORTEST_DELAY_UNCOUNTED;
        }
        return delay.compareTo(RetryPolicy.LONGEST_DELAY) > 0 ? RetryPolicy.LONGEST_DELAY : delay;
    }

    private static boolean isNonRetryable(Throwable ex, RetryPolicy policy) {
        return !(ex instanceof RetryAfterException)
                && Causes.anyMatch(
                        ex, (cause) -> policy.nonRetryable().stream().anyMatch((type) -> type.isInstance(cause)));
    }

    private void log(HandlerDefinition handler, Attempt attempt, DeliveryOutcome outcome, Throwable ex) {
        Failure failure = Objects.requireNonNull(outcome.failure());
        if (Causes.isSelfReported(ex)) {
            log.debug(
                    "{} {} {}: {}",
                    handler.id(),
                    outcome.isDead() ? "gave up on" : "lets wait",
                    attempt.envelope(),
                    ex.getMessage());
        } else if (outcome.isDead()) {
            failures.dead(handler.id(), failure.code(), ex)
                    .log(
                            "{} gave up on {}: {}: {}; the delivery is dead until an operator retries or skips it{}",
                            handler.id(),
                            attempt.envelope(),
                            failure.code(),
                            failure.message(),
                            outcome.blocksLane() ? ", and the handler's later events of the aggregate wait" : "");
        } else {
            failures.retry(handler.id(), 1, ex)
                    .log(
                            "{} failed with {} (attempt {}{}); next attempt {}",
                            handler.id(),
                            attempt.envelope(),
                            attempt.failures() + 1,
                            outcome.kind() == DeliveryOutcome.Kind.FAILED ? "" : ", not counted",
                            when(outcome.delay()));
        }
    }

    private static String when(Duration delay) {
        if (delay.isZero()) {
            return "at once";
        }
        return delay.toSeconds() == 0 ? "in " + delay.toMillis() + " ms" : "in " + delay.toSeconds() + " s";
    }
}
