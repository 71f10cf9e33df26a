package dev.outbox.internal.retention;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long what is finished stays: for ever where nothing is set. Rows of the deduplication inbox stay as long as published events at least. */
public record RetentionSettings(
        Duration published,
        boolean archive,
        Duration received,
        @Nullable Duration archived,
        @Nullable Duration dead,
        @Nullable Duration operations,
        @Nullable Duration replays,
        int batchSize) {

    public RetentionSettings {
        if (published.isNegative()) {
            throw new IllegalArgumentException("published must not be negative: " + published);
        }
        if (received.compareTo(published) < 0) {
            throw new IllegalArgumentException(
                    "received must not be shorter than published, because a replay delivers what is"
                            + " published, and a handler would repeat it without its record: " + received);
        }
        checkPositive("archived", archived);
        checkPositive("dead", dead);
        checkPositive("operations", operations);
        checkPositive("replays", replays);
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize must be at least 1: " + batchSize);
        }
    }

    private static void checkPositive(String name, @Nullable Duration age) {
        if (age != null && age.compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException(name + " must be positive; without it, nothing is removed: " + age);
        }
    }

    /** Creates settings that keep everything but published events and the deduplication inbox. */
    public RetentionSettings(Duration published, boolean archive, Duration received, int batchSize) {
        this(published, archive, received, null, null, null, null, batchSize);
    }

    /** Returns the defaults: delete after 30 days, keep the deduplication inbox for 30 days, 1000 rows a batch. */
    public static RetentionSettings defaults() {
        return new RetentionSettings(Duration.ofDays(30), false, Duration.ofDays(30), 1000);
    }
}
