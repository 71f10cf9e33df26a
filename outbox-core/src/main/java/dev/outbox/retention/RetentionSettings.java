package dev.outbox.retention;

import java.time.Duration;

/**
 * What happens to published events.
 *
 * @param published how long they stay in the outbox
 * @param archive whether they then go to the archive; otherwise they are deleted
 * @param batchSize at most how many are moved in one transaction
 */
public record RetentionSettings(Duration published, boolean archive, int batchSize) {

    /** Checks the values. */
    public RetentionSettings {
        if (published.isNegative()) {
            throw new IllegalArgumentException("published must not be negative: " + published);
        }
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize must be at least 1: " + batchSize);
        }
    }

    /**
     * Returns the default: 30 days, archived, 1000 at a time.
     *
     * @return the default settings
     */
    public static RetentionSettings defaults() {
        return new RetentionSettings(Duration.ofDays(30), true, 1000);
    }
}
