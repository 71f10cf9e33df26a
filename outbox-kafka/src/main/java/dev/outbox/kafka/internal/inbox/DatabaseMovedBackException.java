package dev.outbox.kafka.internal.inbox;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The database has lost records that were stored: the records of some partitions must be read again. Nothing of the poll is stored. */
final class DatabaseMovedBackException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Map<TopicPartition, Long> stored;

    DatabaseMovedBackException(Map<TopicPartition, Long> stored) {
        super("the database has moved back in time: it has the partitions up to the offsets " + stored);
        this.stored = Map.copyOf(stored);
    }

    /** Next offsets in the database of the partitions that it has moved back, or {@link OffsetStore#NONE}. */
    Map<TopicPartition, Long> stored() {
        return stored;
    }

    /** Returns the exception that caused another one, if it is of this type. */
    static @Nullable DatabaseMovedBackException in(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatabaseMovedBackException movedBack) {
                return movedBack;
            }
        }
        return null;
    }
}
