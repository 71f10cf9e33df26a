package dev.outbox.kafka.internal.inbox;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The database has stored some partitions up to other offsets than those that were read. Nothing of the poll is stored. */
final class OtherOffsetsException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Map<TopicPartition, Long> stored;

    OtherOffsetsException(Map<TopicPartition, Long> stored) {
        super("the database has stored the partitions up to other offsets: " + stored);
        this.stored = Map.copyOf(stored);
    }

    /** Next offsets of these partitions in the database, or {@link OffsetStore#NONE}. */
    Map<TopicPartition, Long> stored() {
        return stored;
    }

    /** Returns the exception that caused another one, if it is of this type. */
    static @Nullable OtherOffsetsException in(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OtherOffsetsException movedBack) {
                return movedBack;
            }
        }
        return null;
    }
}
