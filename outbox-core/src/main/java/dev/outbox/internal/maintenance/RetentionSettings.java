package dev.outbox.internal.maintenance;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What happens to published events, to what is known of processed ones, and to the counters of aggregates. */
public record RetentionSettings(
        Duration published,
        boolean archive,
        Duration processedEvents,
        @Nullable Duration idleAggregates,
        int batchSize) {

    /** Checks the values. */
    public RetentionSettings {
        if (published.isNegative()) {
            throw new IllegalArgumentException("published must not be negative: " + published);
        }
        if (processedEvents.isNegative()) {
            throw new IllegalArgumentException("processedEvents must not be negative: " + processedEvents);
        }
        if (idleAggregates != null && idleAggregates.compareTo(published) < 0) {
            throw new IllegalArgumentException(
                    "idleAggregates must not be shorter than published, " + published + ": " + idleAggregates);
        }
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize must be at least 1: " + batchSize);
        }
    }

    /** Keeps the counters of all aggregates. */
    public RetentionSettings(Duration published, boolean archive, Duration processedEvents, int batchSize) {
        this(published, archive, processedEvents, null, batchSize);
    }

    /** Returns the default: 30 days, archived, processed events known for 30 days, all counters kept, 1000 at a time. */
    public static RetentionSettings defaults() {
        return new RetentionSettings(Duration.ofDays(30), true, Duration.ofDays(30), 1000);
    }
}
