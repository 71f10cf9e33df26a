package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.store.OutboxSchema;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import javax.sql.DataSource;
import org.apache.kafka.common.TopicPartition;
import org.springframework.jdbc.core.RowMapper;
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

    /** Relies on outbox_inbox_offset_pk. */
    private static final String READ = """
            SELECT o.topic, o.partition, o.next_offset
              FROM {schema}.outbox_inbox_offset o
             WHERE o.consumer_group = :consumer_group
               AND o.topic = ANY (:topics::text[])
            """;

    private static final RowMapper<Map.Entry<TopicPartition, Long>> ROW =
            (row, number) -> Map.entry(new TopicPartition(row.getString(1), row.getInt(2)), row.getLong(3));

    private final JdbcClient client;
    private final OutboxSchema schema;

    public OffsetStore(DataSource dataSource, OutboxSchema schema) {
        this.client = JdbcClient.create(dataSource);
        this.schema = schema;
    }

    /** Locks partitions in the thread's transaction, and returns their next offsets, or {@link #NONE}. */
    Map<TopicPartition, Long> lock(String group, Collection<TopicPartition> partitions) {
        return map(statement(LOCK, group, partitions).query(ROW).list());
    }

    /** Writes the next offsets of locked partitions. */
    void write(String group, SortedMap<TopicPartition, Long> next) {
        statement(WRITE, group, next.keySet())
                .param("next_offsets", next.values().toArray(Long[]::new))
                .update();
    }

    /** Returns the next offsets of topics, without a lock. */
    Map<TopicPartition, Long> read(String group, Collection<String> topics) {
        return map(client.sql(render(READ))
                .param("consumer_group", group)
                .param("topics", topics.toArray(String[]::new))
                .query(ROW)
                .list());
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

    private static Map<TopicPartition, Long> map(List<Map.Entry<TopicPartition, Long>> rows) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        rows.forEach((row) -> offsets.put(row.getKey(), row.getValue()));
        return offsets;
    }
}
