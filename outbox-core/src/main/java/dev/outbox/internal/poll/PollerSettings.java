package dev.outbox.internal.poll;

import java.time.Duration;

/** How a stream is polled. */
public record PollerSettings(
        Duration interval, int batchSize, int concurrency, Duration lease, Duration shutdownTimeout) {

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    public PollerSettings {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("interval must be positive: " + interval);
        }
        if (batchSize < 1 || batchSize > 10_000) {
            throw new IllegalArgumentException("batchSize must lie between 1 and 10000: " + batchSize);
        }
        if (concurrency < 1 || concurrency > 1_000) {
            throw new IllegalArgumentException("concurrency must lie between 1 and 1000: " + concurrency);
        }
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException("lease must be at least " + SHORTEST_LEASE + ": " + lease);
        }
        if (shutdownTimeout.isNegative()) {
            throw new IllegalArgumentException("shutdownTimeout must not be negative: " + shutdownTimeout);
        }
    }

    /** A stream as one process polls it. */
    public record PolledStream(String name, String worker, PollerSettings settings) {}

    /** Creates settings for events to be handled one at a time. */
    public PollerSettings(Duration interval, int batchSize, Duration lease, Duration shutdownTimeout) {
        this(interval, batchSize, 1, lease, shutdownTimeout);
    }

    /** Returns the default: a look every 2 s, 50 events, one at a time, a lease of 60 s, 20 s to finish. */
    public static PollerSettings defaults() {
        return new PollerSettings(Duration.ofSeconds(2), 50, 1, Duration.ofSeconds(60), Duration.ofSeconds(20));
    }

    /** Returns the same settings with another concurrency. */
    public PollerSettings withConcurrency(int other) {
        return new PollerSettings(interval, batchSize, other, lease, shutdownTimeout);
    }
}
