package dev.outbox.retry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When to try again, and when to give up.
 *
 * @param backoff the wait after each failure
 * @param maxAttempts how many failed attempts make a delivery dead, at least 1
 * @param maxCrashes how many leases may expire under a delivery before it is dead, at least 2: until two have expired, another event of
 *     its batch may be to blame, and from then on it is tried alone
 * @param errors which exceptions make a delivery dead at once
 */
public record RetryPolicy(Backoff backoff, int maxAttempts, int maxCrashes, ErrorClasses errors) {

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
    }

    /**
     * Creates a policy to which every exception is worth another attempt, and which gives up on an event that has taken three
     * processes down.
     *
     * @param backoff the wait after each failure
     * @param maxAttempts how many failed attempts make a delivery dead, at least 1
     */
    public RetryPolicy(Backoff backoff, int maxAttempts) {
        this(backoff, maxAttempts, DEFAULT_MAX_CRASHES, ErrorClasses.NONE);
    }

    /**
     * Returns the default: after 1 minute, 5 minutes, 15 minutes, then every hour; dead after 10 failures,
     * whatever the exception, or 3 crashes.
     *
     * @return the default policy
     */
    public static RetryPolicy defaults() {
        return new RetryPolicy(
                new Backoff.Delays(List.of(
                        Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(15), Duration.ofHours(1))),
                10);
    }

    /**
     * Decides what follows a failure.
     *
     * @param failures how many attempts have failed, this one included
     * @param random the source of jitter
     * @return the delay before the next attempt, or empty where there is to be none
     */
    public Optional<Duration> next(int failures, RandomGenerator random) {
        return failures >= maxAttempts ? Optional.empty() : Optional.of(backoff.delay(failures, random));
    }
}
