package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import javax.sql.DataSource;
import org.apache.kafka.common.TopicPartition;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Next offset of each partition that a consumer group receives. Its row lock orders the consumers of a partition. */
public final class OffsetStore {

    /** Next offset of a partition that has no row. */
    static final long NONE = -1;

    /**
     * Relies on outbox_inbox_offset_pk. Locks in sorted order, until the transaction ends. Its commit reaches the disk before the offsets are
     * committed to Kafka; 'local' is left alone, which is the user's decision not to wait for a standby.
     */
    private static final String LOCK = """
            INSERT INTO {schema}.outbox_inbox_offset AS o (consumer_group, topic, partition, next_offset)
            SELECT :consumer_group, i.topic, i.partition, -1
              FROM unnest(:topics::text[], :partitions::int[]) AS i (topic, partition)
             ORDER BY i.topic COLLATE "C", i.partition
            ON CONFLICT (consumer_group, topic, partition) DO UPDATE
               SET next_offset = o.next_offset
            RETURNING topic, partition, next_offset,
                      CASE current_setting('synchronous_commit')
                          WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
            """;

    /** Relies on outbox_inbox_offset_pk. The caller has locked the rows. */
    private static final String WRITE = """
            UPDATE {schema}.outbox_inbox_offset o
               SET next_offset = i.next_offset
              FROM unnest(:topics::text[], :partitions::int[], :next_offsets::bigint[])
                   AS i (topic, partition, next_offset)
             WHERE o.consumer_group = :consumer_group
               AND o.topic = i.topic
               AND o.partition = i.partition
            """;

    /** Relies on outbox_inbox_offset_pk and outbox_handler_pk. */
    private static final String LOOK = """
            SELECT o.topic, o.partition, o.next_offset, h.paused
              FROM (SELECT coalesce(bool_or(h.paused), false) AS paused
                      FROM {schema}.outbox_handler h
                     WHERE h.id = :handler_id) h
              LEFT JOIN {schema}.outbox_inbox_offset o
                ON o.consumer_group = :consumer_group
               AND o.topic = ANY (:topics::text[])
            """;

    private static final String MAY_NOT_READ =
            "grant the role of the application what the grants.sql of outbox-kafka gives to it";

    private final DataSource dataSource;
    private final JdbcClient client;
    private final OutboxSchema schema;
    private final Pipeline look;

    /** What an inbox looks up from time to time, and when it began to, as a value of {@link System#nanoTime}. */
    public record Look(boolean paused, Map<TopicPartition, Long> next, long begunAt) {}

    public OffsetStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.client = JdbcClient.create(dataSource);
        this.schema = schema;
        this.look = new Pipeline(schema, LOOK);
    }

    /** Locks partitions in the thread's transaction, limits how long that waits for answers, and returns their next offsets, or {@link #NONE}. */
    Map<TopicPartition, Long> lock(String group, Collection<TopicPartition> partitions) {
        new BoundConnection(dataSource).limitUntilCompletion();
        Map<TopicPartition, Long> next = new HashMap<>();
        statement(LOCK, group, partitions).query((row) -> {
            next.put(new TopicPartition(row.getString(1), row.getInt(2)), row.getLong(3));
        });
        return next;
    }

    /** Writes the next offsets of locked partitions. */
    void write(String group, SortedMap<TopicPartition, Long> next) {
        statement(WRITE, group, next.keySet())
                .param("next_offsets", next.values().toArray(Long[]::new))
                .update();
    }

    /** Returns whether an operator has paused the handler of an inbox, and the next offsets of its topics. Takes no lock. */
    Look look(String group, Collection<String> topics, String handlerId) {
        long begunAt = System.nanoTime();
        try {
            return look.run(
                    dataSource,
                    (parameters) -> parameters
                            .set("consumer_group", group)
                            .setTexts("topics", topics, (topic) -> topic)
                            .set("handler_id", handlerId),
                    (results) -> {
                        Map<TopicPartition, Long> next = new HashMap<>();
                        boolean paused = false;
                        for (ResultSet row = results.rows(); row.next(); ) {
                            paused = row.getBoolean(4);
                            if (row.getString(1) != null) {
                                next.put(new TopicPartition(row.getString(1), row.getInt(2)), row.getLong(3));
                            }
                        }
                        return new Look(paused, next, begunAt);
                    });
        } catch (SQLException ex) {
            throw Causes.translated("read the offsets of inboxes", MAY_NOT_READ, ex);
        }
    }

    private JdbcClient.StatementSpec statement(String sql, String group, Collection<TopicPartition> partitions) {
        return client.sql(render(sql))
                .param("consumer_group", group)
                .param("topics", partitions.stream().map(TopicPartition::topic).toArray(String[]::new))
                .param(
                        "partitions",
                        partitions.stream().map(TopicPartition::partition).toArray(Integer[]::new));
    }

    private String render(String sql) {
        return sql.replace("{schema}", schema.quoted());
    }
}
