package dev.outbox.retention;

import java.time.Duration;

/**
 * What happens to published events, and to what is known of processed ones.
 *
 * @param published how long they stay in the outbox
 * @param archive whether they then go to the archive; otherwise they are deleted
 * @param processedEvents how long it is known what deduplicating handlers have processed; of events that are not published yet,
 *     always
 * @param batchSize at most how many are moved or removed in one transaction
 */
public record RetentionSettings(Duration published, boolean archive, Duration processedEvents, int batchSize) {

    /** Checks the values. */
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

    /**
     * Returns the default: 30 days, archived, processed events known for 30 days, 1000 at a time.
     *
     * @return the default settings
     */
    public static RetentionSettings defaults() {
        return new RetentionSettings(Duration.ofDays(30), true, Duration.ofDays(30), 1000);
    }
}
