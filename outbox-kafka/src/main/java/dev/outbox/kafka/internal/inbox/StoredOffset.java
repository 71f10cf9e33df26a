package dev.outbox.kafka.internal.inbox;

import org.jspecify.annotations.Nullable;

/**
 * Next offset of a partition as the database has it.
 *
 * @param next the offset, below 0 without a row
 * @param topicId id that Kafka gave to the topic, if known; a topic that is created again has another one
 * @param stopped whether an operator must decide where the partition continues
 */
public record StoredOffset(long next, @Nullable String topicId, boolean stopped) {

    /** Partition without a row. */
    static final StoredOffset NONE = new StoredOffset(-1, null, false);

    boolean exists() {
        return next >= 0;
    }

    StoredOffset at(long offset) {
        return new StoredOffset(offset, topicId, false);
    }
}
