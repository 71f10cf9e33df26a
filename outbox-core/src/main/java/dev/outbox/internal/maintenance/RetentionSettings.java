package dev.outbox.internal.maintenance;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long published events, rows of the deduplication inbox and those of aggregates stay. */
public record RetentionSettings(
        Duration published,
        boolean archive,
        Duration processedEvents,
        @Nullable Duration idleAggregates,
        int batchSize) {

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

    /** Returns the defaults: archive after 30 days, keep processed events for 30 days and all counters, 1000 rows a batch. */
    public static RetentionSettings defaults() {
        return new RetentionSettings(Duration.ofDays(30), true, Duration.ofDays(30), 1000);
    }
}
