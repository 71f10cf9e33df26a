package dev.outbox.kafka.internal.inbox;

import dev.outbox.operations.internal.operate.JdbcOperations;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Inbox: which topics to receive, and how.
 *
 * @param topics Topics to receive.
 * @param group Consumer group.
 * @param aggregateTypePrefix Prefix of the aggregate types of received events.
 * @param stream Stream of received events. The configuration of the streams decides if not set.
 * @param concurrency Number of consumers.
 * @param holdGaps How long an event waits for its predecessor. It does not wait if not set.
 * @param late What happens to an event that arrives after its successor: "accept" stores it, "drop" forgets it. An operator can retry the dead letter, which stores the event.
 * @param unknownTypes What happens to an event that no handler takes: "store" keeps it in history, for a replay to a later handler, "ignore" drops it.
 * @param mapper Name of the InboxRecordMapper bean. Reads CloudEvents if not set.
 * @param aliases Former names of the inbox.
 */
public record InboxSettings(
        @DefaultValue List<String> topics,
        @DefaultValue("") String group,
        @DefaultValue("") String aggregateTypePrefix,
        @Nullable String stream,
        @DefaultValue("1") int concurrency,
        @Nullable Duration holdGaps,
        @DefaultValue("dead-letter") Late late,
        @DefaultValue("store") UnknownTypes unknownTypes,
        @Nullable String mapper,
        @DefaultValue List<String> aliases) {

    /** Prefix of the ids of the handlers of records that were refused or held back. */
    public static final String HANDLER = JdbcOperations.INBOX_HANDLER;

    /** What happens to an event whose sequence is not above the last one. */
    public enum Late {
        ACCEPT,
        DEAD_LETTER,
        DROP
    }

    /** What happens to an event that no handler takes. */
    public enum UnknownTypes {
        STORE,
        DEAD_LETTER,
        IGNORE
    }

    public boolean holdsGaps() {
        return holdGaps != null;
    }
}
