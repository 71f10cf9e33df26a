package dev.outbox.internal.dispatch;

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
     * Delays that double: {@code initialDelay · 2^(failures - 1)}, at most {@code maxDelay}, then spread by ± 20 %, so that simultaneous
     * failures are not retried simultaneously. The spread may exceed {@code maxDelay}.
     *
     * @param initialDelay the first delay
     * @param maxDelay the longest delay before the spread
     */
    record Exponential(Duration initialDelay, Duration maxDelay) implements Backoff {

        private static final double SPREAD = 0.2;

        /** Checks the values. */
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
