package dev.outbox.poll;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Says when a claim starts at the beginning of the queue instead of the low-water mark, to find events that another program inserted
 * with an id of its choice. Nothing is delivered meanwhile, so the look takes at most a 200th of the time. Used by one thread.
 */
final class WholeQueueSchedule {

    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final int REST = 200;

    private final LongSupplier nanos;
    private long dueAt;

    WholeQueueSchedule(LongSupplier nanos) {
        this.nanos = nanos;
        this.dueAt = nanos.getAsLong() + INTERVAL.toNanos();
    }

    boolean isDue() {
        return nanos.getAsLong() - dueAt >= 0;
    }

    void looked(Duration took) {
        dueAt = nanos.getAsLong() + Math.max(INTERVAL.toNanos(), took.toNanos() * REST);
    }
}
