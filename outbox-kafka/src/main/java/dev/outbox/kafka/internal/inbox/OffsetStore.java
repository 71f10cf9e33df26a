package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.NetworkTimeout;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.operations.internal.operate.JdbcOperations;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import javax.sql.DataSource;
import org.apache.kafka.common.TopicPartition;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Next offset of each partition that a consumer group receives. Its row lock orders the consumers of a partition. */
public final class OffsetStore {

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
            RETURNING topic, partition, next_offset, topic_id, stopped_after IS NOT NULL,
                      CASE current_setting('synchronous_commit')
                          WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END,
                      {ask client}
            """.replace("{ask client}", NetworkTimeout.OF_SERVER);

    /** Relies on outbox_inbox_offset_pk and outbox_operation_pk. The caller has locked the rows. */
    private static final String WRITE = """
            UPDATE {schema}.outbox_inbox_offset o
               SET next_offset = i.next_offset,
                   topic_id = i.topic_id,
                   stopped_after = CASE WHEN i.stopped THEN (SELECT coalesce(max(p.id), 0) FROM {schema}.outbox_operation p) END
              FROM unnest(:topics::text[], :partitions::int[], :next_offsets::bigint[], :topic_ids::text[], :stopped::boolean[])
                   AS i (topic, partition, next_offset, topic_id, stopped)
             WHERE o.consumer_group = :consumer_group
               AND o.topic = i.topic
               AND o.partition = i.partition
            """;

    /** Relies on outbox_inbox_offset_pk, outbox_handler_pk and outbox_operation_handler. */
    private static final String LOOK = """
            SELECT o.topic, o.partition, o.next_offset, o.topic_id, o.stopped_after IS NOT NULL, h.paused,
                   CASE WHEN o.stopped_after IS NOT NULL THEN
                       (SELECT replace(p.action, '{resume}', '')
                          FROM {schema}.outbox_operation p
                         WHERE p.handler_id = ANY (:handler_ids::text[])
                           AND p.id > o.stopped_after
                           AND p.action IN ('{resume}EARLIEST', '{resume}LATEST')
                         ORDER BY p.id DESC
                         LIMIT 1) END
              FROM (SELECT coalesce(bool_or(h.paused_until > now()), false) AS paused
                      FROM {schema}.outbox_handler h
                     WHERE h.id = (:handler_ids::text[])[1]) h
              LEFT JOIN {schema}.outbox_inbox_offset o
                ON o.consumer_group = :consumer_group
               AND o.topic = ANY (:topics::text[])
            """.replace("{resume}", JdbcOperations.RESUME_INBOX);

    private static final String MAY_NOT_READ =
            "grant the role of the application what the grants.sql of outbox-kafka gives to it";

    private final DataSource dataSource;
    private final JdbcClient client;
    private final OutboxSchema schema;
    private final Pipeline look;

    /**
     * What an inbox looks up from time to time: whether it is paused, its partitions, and where an operator lets stopped ones continue.
     *
     * @param begunAt when it began to, as a value of {@link System#nanoTime}
     */
    public record Look(
            boolean paused,
            Map<TopicPartition, StoredOffset> stored,
            Map<TopicPartition, InboxStart> resumed,
            long begunAt) {}

    public OffsetStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.client = JdbcClient.create(dataSource);
        this.schema = schema;
        this.look = new Pipeline(schema, LOOK);
    }

    /** Locks partitions in the thread's transaction, limits how long that waits for answers, and returns what the database has. */
    Map<TopicPartition, StoredOffset> lock(String group, Collection<TopicPartition> partitions) {
        new BoundConnection(dataSource).limitUntilCompletion();
        Map<TopicPartition, StoredOffset> stored = new HashMap<>();
        statement(LOCK, group, partitions).query((row) -> {
            stored.put(new TopicPartition(row.getString(1), row.getInt(2)), read(row));
        });
        return stored;
    }

    /** Writes the next offsets of locked partitions. */
    void write(String group, SortedMap<TopicPartition, StoredOffset> next) {
        Collection<StoredOffset> offsets = next.values();
        statement(WRITE, group, next.keySet())
                .param("next_offsets", offsets.stream().map(StoredOffset::next).toArray(Long[]::new))
                .param("topic_ids", offsets.stream().map(StoredOffset::topicId).toArray(String[]::new))
                .param("stopped", offsets.stream().map(StoredOffset::stopped).toArray(Boolean[]::new))
                .update();
    }

    /** Looks up an inbox by the id of its handler, which precedes the former ones. Takes no lock. */
    Look look(String group, Collection<String> topics, List<String> handlerIds) {
        long begunAt = System.nanoTime();
        try {
            return look.run(
                    dataSource,
                    (parameters) -> parameters
                            .set("consumer_group", group)
                            .setTexts("topics", topics, (topic) -> topic)
                            .setTexts("handler_ids", handlerIds, (id) -> id),
                    (results) -> {
                        Map<TopicPartition, StoredOffset> stored = new HashMap<>();
                        Map<TopicPartition, InboxStart> resumed = new HashMap<>();
                        boolean paused = false;
                        for (ResultSet row = results.rows(); row.next(); ) {
                            paused = row.getBoolean(6);
                            if (row.getString(1) != null) {
                                TopicPartition partition = new TopicPartition(row.getString(1), row.getInt(2));
                                stored.put(partition, read(row));
                                String at = row.getString(7);
                                if (at != null) {
                                    resumed.put(partition, InboxStart.valueOf(at));
                                }
                            }
                        }
                        return new Look(paused, stored, resumed, begunAt);
                    });
        } catch (SQLException ex) {
            throw Causes.translated("read the offsets of inboxes", MAY_NOT_READ, ex);
        }
    }

    private static StoredOffset read(ResultSet row) throws SQLException {
        return new StoredOffset(row.getLong(3), row.getString(4), row.getBoolean(5));
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
