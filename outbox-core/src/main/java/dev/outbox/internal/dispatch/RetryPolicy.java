package dev.outbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Delays and limits of the attempts of a delivery.
 *
 * @param backoff the delay after each failure
 * @param maxAttempts the number of failed attempts after which a delivery is dead, at least 1
 * @param maxCrashes the number of leases that may expire while a delivery is attempted; one more, and it is dead. At least 2: until two
 *     leases have expired, another event of the batch may be the cause, and after that the event is attempted alone
 * @param nonRetryable exceptions that are not retried, neither themselves nor as a cause; their subclasses included
 */
public record RetryPolicy(
        Backoff backoff, int maxAttempts, int maxCrashes, Set<Class<? extends Throwable>> nonRetryable) {

    private static final int DEFAULT_MAX_CRASHES = 3;
    private static final int LEAST_MAX_CRASHES = 2;

    /** Checks the values. */
    public RetryPolicy {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts must be at least 1: " + maxAttempts);
        }
        if (maxCrashes < LEAST_MAX_CRASHES) {
            throw new IllegalArgumentException("maxCrashes must be at least 2: " + maxCrashes);
        }
        nonRetryable = Set.copyOf(nonRetryable);
        for (Class<?> type : nonRetryable) {
            if (!Throwable.class.isAssignableFrom(type)) {
                throw new IllegalArgumentException("nonRetryable must hold none but exceptions: " + type.getName());
            }
        }
    }

    /**
     * Creates a policy that retries every exception and permits three crashes.
     *
     * @param backoff the delay after each failure
     * @param maxAttempts the number of failed attempts after which a delivery is dead, at least 1
     */
    public RetryPolicy(Backoff backoff, int maxAttempts) {
        this(backoff, maxAttempts, DEFAULT_MAX_CRASHES, Set.of());
    }

    /**
     * Returns the default policy: retries after 1 second, 10 seconds, 1 minute, 5 minutes, 15 minutes, and then every hour. A delivery is
     * dead after 10 failures or 4 crashes.
     *
     * @return the default policy
     */
    public static RetryPolicy defaults() {
        return new RetryPolicy(
                new Backoff.Delays(List.of(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(5),
                        Duration.ofMinutes(15),
                        Duration.ofHours(1))),
                10);
    }

    /**
     * Returns the delay after a failure.
     *
     * @param failures the number of failed attempts, including this one
     * @param random the source of jitter
     * @return the delay before the next attempt, or empty if the delivery is dead
     */
    public Optional<Duration> next(int failures, RandomGenerator random) {
        return failures >= maxAttempts ? Optional.empty() : Optional.of(backoff.delay(failures, random));
    }
}
