package dev.outbox.internal.retry;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** Delay after the n-th failure. */
public sealed interface Backoff {

    /** The longest possible delay. */
    Duration LONGEST = Duration.ofDays(365);

    /**
     * Returns the delay after a failure.
     *
     * @param failures the number of failed attempts, at least 1
     * @param random the source of jitter
     * @return the delay before the next attempt
     */
    Duration delay(int failures, RandomGenerator random);

    /**
     * List of delays; the last one repeats.
     *
     * @param delays the delays, at least one, none negative
     */
    record Delays(List<Duration> delays) implements Backoff {

        /** Checks the list. */
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
     * Delays that grow by a factor: {@code initialDelay · multiplier^(failures - 1)}, at most {@code maxDelay}, then spread by {@code ± jitter}, so that
     * simultaneous failures are not retried simultaneously. The spread may exceed {@code maxDelay}.
     *
     * @param initialDelay the first delay
     * @param multiplier the factor, at least 1
     * @param maxDelay the longest delay before jitter
     * @param jitter the fraction by which a delay may vary, from 0 to 1
     */
    record Exponential(Duration initialDelay, double multiplier, Duration maxDelay, double jitter) implements Backoff {

        /** Checks the values. */
        public Exponential {
            requireNotNegative("initialDelay", initialDelay);
            requireNotNegative("maxDelay", maxDelay);
            if (!(multiplier >= 1)) {
                throw new IllegalArgumentException("multiplier must be at least 1: " + multiplier);
            }
            if (!(jitter >= 0 && jitter <= 1)) {
                throw new IllegalArgumentException("jitter must lie between 0 and 1: " + jitter);
            }
        }

        @Override
        public Duration delay(int failures, RandomGenerator random) {
            double factor = 1 + jitter * (2 * random.nextDouble() - 1);
            return millis(delayWithoutJitter(failures).toMillis() * factor);
        }

        Duration delayWithoutJitter(int failures) {
            double grown = initialDelay.toMillis() * Math.pow(multiplier, Math.max(failures, 1) - 1);
            return millis(Math.min(grown, (double) maxDelay.toMillis()));
        }

        private static Duration millis(double millis) {
            return Duration.ofMillis((long) Math.min(millis, (double) LONGEST.toMillis()));
        }
    }

    private static void requireNotNegative(String name, Duration delay) {
        if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    name + " must lie between 0 and " + LONGEST.toDays() + " days: " + delay);
        }
    }
}
