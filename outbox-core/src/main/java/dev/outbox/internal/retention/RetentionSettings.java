package dev.outbox.internal.retention;

import java.time.Duration;

/** How long published events and rows of the deduplication inbox stay. */
public record RetentionSettings(Duration published, boolean archive, Duration processedEvents, int batchSize) {

    public RetentionSettings {
        if (published.isNegative()) {
            throw new IllegalArgumentException("published must not be negative: " + published);
        }
        if (processedEvents.isNegative()) {
            throw new IllegalArgumentException("processedEvents must not be negative: " + processedEvents);
        }
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize must be at least 1: " + batchSize);
        }
    }

    /** Returns the defaults: archive after 30 days, keep processed events for 30 days, 1000 rows a batch. */
    public static RetentionSettings defaults() {
        return new RetentionSettings(Duration.ofDays(30), true, Duration.ofDays(30), 1000);
    }
}
