package dev.outbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Delays and limits of the attempts of a delivery. It is dead after {@code maxAttempts} failures, after one more expired lease than
 * {@code maxCrashes}, or after an exception that is, or has as a cause, one of the non-retryable classes or their subclasses. At least two
 * leases may expire: until then, another event of the batch may be the cause, and after that the event is attempted alone.
 */
public record RetryPolicy(
        Backoff backoff, int maxAttempts, int maxCrashes, Set<Class<? extends Throwable>> nonRetryable) {

    /** The longest possible delay. */
    static final Duration LONGEST_DELAY = Duration.ofDays(365);

    private static final int DEFAULT_MAX_CRASHES = 3;
    private static final int LEAST_MAX_CRASHES = 2;

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

    /** Creates a policy that retries every exception and permits three crashes. */
    public RetryPolicy(Backoff backoff, int maxAttempts) {
        this(backoff, maxAttempts, DEFAULT_MAX_CRASHES, Set.of());
    }

    /**
     * Returns the default policy: retries after 1 second, 10 seconds, 1 minute, 5 minutes, 15 minutes, and then every hour. A delivery is
     * dead after 10 failures or 4 crashes.
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

    /** Returns the same policy with another number of attempts. */
    RetryPolicy withMaxAttempts(int attempts) {
        return new RetryPolicy(backoff, attempts, maxCrashes, nonRetryable);
    }

    /** Returns the delay after so many failures, or empty if the delivery is dead. */
    public Optional<Duration> next(int failures, RandomGenerator random) {
        return failures >= maxAttempts ? Optional.empty() : Optional.of(backoff.delay(failures, random));
    }

    /** Delay after the n-th failure. */
    public sealed interface Backoff {

        Duration delay(int failures, RandomGenerator random);

        /** List of delays; the last one repeats. */
        record Delays(List<Duration> delays) implements Backoff {

            public Delays {
                delays = List.copyOf(delays);
                if (delays.isEmpty()) {
                    throw new IllegalArgumentException("delays must not be empty");
                }
                delays.forEach((delay) -> requireNotNegative("delays", delay));
            }

            @Override
            public Duration delay(int failures, RandomGenerator random) {
                return delays.get(Math.min(Math.max(failures, 1), delays.size()) - 1);
            }
        }

        /**
         * Delays that double: {@code initialDelay · 2^(failures - 1)}, at most {@code maxDelay}, then spread by ± 20 %, so that simultaneous
         * failures are not retried simultaneously. The spread may exceed {@code maxDelay}.
         */
        record Exponential(Duration initialDelay, Duration maxDelay) implements Backoff {

            private static final double SPREAD = 0.2;

            public Exponential {
                requireNotNegative("initialDelay", initialDelay);
                requireNotNegative("maxDelay", maxDelay);
            }

            @Override
            public Duration delay(int failures, RandomGenerator random) {
                double factor = 1 + SPREAD * (2 * random.nextDouble() - 1);
                return millis(delayWithoutJitter(failures).toMillis() * factor);
            }

            Duration delayWithoutJitter(int failures) {
                double grown = initialDelay.toMillis() * Math.pow(2, Math.max(failures, 1) - 1);
                return millis(Math.min(grown, (double) maxDelay.toMillis()));
            }

            private static Duration millis(double millis) {
                return Duration.ofMillis((long) Math.min(millis, (double) LONGEST_DELAY.toMillis()));
            }
        }
    }

    private static void requireNotNegative(String name, Duration delay) {
        if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException(
                    name + " must lie between 0 and " + LONGEST_DELAY.toDays() + " days: " + delay);
        }
    }
}
