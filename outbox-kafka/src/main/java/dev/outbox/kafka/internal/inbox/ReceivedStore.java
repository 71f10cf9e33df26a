package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.delivery.NewEvent.Aggregate;
import dev.outbox.internal.store.OutboxSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Last sequence received of each aggregate of another service, in each topic: Kafka gives an order within a topic only. Its row lock orders
 * the instances that receive the same events.
 */
public final class ReceivedStore {

    private static final Logger log = LoggerFactory.getLogger(ReceivedStore.class);

    /** Last sequence of an aggregate of which nothing is stored. */
    static final long NONE = -1;

    /** Relies on outbox_received_pk. Locks in sorted order, until the transaction ends. */
    static final String LOCK = """
            INSERT INTO {schema}.outbox_received AS r (aggregate_type, aggregate_id, topic, last_seq)
            SELECT i.aggregate_type, i.aggregate_id, i.topic, -1
              FROM unnest(:aggregate_types::text[], :aggregate_ids::text[], :topics::text[])
                   AS i (aggregate_type, aggregate_id, topic)
             ORDER BY i.aggregate_type COLLATE "C", i.aggregate_id COLLATE "C", i.topic COLLATE "C"
            ON CONFLICT (aggregate_type, aggregate_id, topic) DO UPDATE
               SET last_used_at = now()
            RETURNING aggregate_type, aggregate_id, topic, last_seq,
                      (SELECT greatest(r.last_seq, max(o.last_seq))
                         FROM {schema}.outbox_received o
                        WHERE o.aggregate_type = r.aggregate_type
                          AND o.aggregate_id = r.aggregate_id)
            """;

    /** Relies on outbox_unpublished_event_id, outbox_published_event_id and the unique index of the archive. */
    static final String KNOWN = """
            SELECT o.event_id
              FROM {schema}.outbox o
             WHERE o.event_id = ANY (:event_ids::uuid[])
             UNION ALL
            SELECT a.outbox_event_id
              FROM {archive}.events a
             WHERE a.outbox_event_id = ANY (:event_ids::uuid[])
            """;

    /** Relies on outbox_received_pk. The caller has locked the rows. */
    static final String ADVANCE = """
            UPDATE {schema}.outbox_received r
               SET last_seq = i.last_seq,
                   last_used_at = now()
              FROM unnest(:aggregate_types::text[], :aggregate_ids::text[], :topics::text[], :sequences::bigint[])
                   AS i (aggregate_type, aggregate_id, topic, last_seq)
             WHERE r.aggregate_type = i.aggregate_type
               AND r.aggregate_id = i.aggregate_id
               AND r.topic = i.topic
               AND r.last_seq < i.last_seq
            """;

    /** Relies on outbox_operation_event. */
    static final String RETRIED = """
            SELECT EXISTS (SELECT FROM {schema}.outbox_operation p
                            WHERE p.event_id = :event_id
                              AND p.handler_id = ANY (:handler_ids::text[])
                              AND p.action = 'RETRY')
            """;

    private static final String NOW = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            """;

    /** Relies on outbox_received_pk. */
    static final String REMOVE_IDLE = """
            WITH looked AS MATERIALIZED (
                SELECT r.ctid AS place, r.aggregate_type, r.aggregate_id, r.topic,
                       r.last_used_at < now() - :age_millis * interval '1 millisecond' AS unused
                  FROM {schema}.outbox_received r
                 WHERE (r.aggregate_type, r.aggregate_id, r.topic) > (:after_type, :after_id, :after_topic)
                   AND (SELECT pg_try_advisory_xact_lock(hashtextextended('outbox retention of {schema}', 0)))
                 ORDER BY r.aggregate_type, r.aggregate_id, r.topic
                 LIMIT :limit
            ), idle AS MATERIALIZED (
                SELECT r.ctid AS place
                  FROM {schema}.outbox_received r
                 WHERE r.ctid = ANY (ARRAY(SELECT looked.place FROM looked WHERE looked.unused))
                   AND r.last_used_at < now() - :age_millis * interval '1 millisecond'
                   FOR UPDATE OF r SKIP LOCKED
            ), removed AS (
                DELETE FROM {schema}.outbox_received r
                 WHERE r.ctid = ANY (ARRAY(SELECT idle.place FROM idle))
                RETURNING r.last_seq
            )
            SELECT (SELECT count(*) FROM looked),
                   (SELECT count(*) FROM removed),
                   last.aggregate_type,
                   last.aggregate_id,
                   last.topic
              FROM (SELECT looked.aggregate_type, looked.aggregate_id, looked.topic
                      FROM looked
                     ORDER BY looked.aggregate_type DESC, looked.aggregate_id DESC, looked.topic DESC
                     LIMIT 1) last
            """;

    private final JdbcClient client;
    private final Function<String, String> names;

    /** Aggregate in a topic. */
    record Received(Aggregate aggregate, String topic) implements Comparable<Received> {

        private static final Comparator<Received> ORDER =
                Comparator.comparing(Received::aggregate).thenComparing(Received::topic);

        @Override
        public int compareTo(Received other) {
            return ORDER.compare(this, other);
        }
    }

    /** Last sequence of an aggregate in a topic, and the highest in any topic; each may be {@link #NONE}. */
    record Position(long last, long highest) {

        static final Position NOTHING = new Position(NONE, NONE);

        Position advanced(long sequence) {
            return new Position(Math.max(last, sequence), Math.max(highest, sequence));
        }
    }

    private record Page(long size, long removed, Received last) {}

    public ReceivedStore(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.client = JdbcClient.create(dataSource);
        this.names = (sql) -> sql.replace("{schema}", schema.quoted()).replace("{archive}", archiveSchema.quoted());
    }

    /** Locks aggregates in the thread's transaction, and returns their positions. */
    Map<Received, Position> lock(SortedSet<Received> aggregates) {
        Map<Received, Position> positions = new HashMap<>();
        statement(LOCK, aggregates).query((row) -> {
            positions.put(
                    new Received(new Aggregate(row.getString(1), row.getString(2)), row.getString(3)),
                    new Position(row.getLong(4), row.getLong(5)));
        });
        return positions;
    }

    /** Returns which events the queue, history or the archive holds. */
    Set<UUID> known(Collection<UUID> eventIds) {
        return new HashSet<>(client.sql(names.apply(KNOWN))
                .param("event_ids", eventIds.stream().map(UUID::toString).toArray(String[]::new))
                .query(UUID.class)
                .list());
    }

    /** Raises the last sequences of locked aggregates. */
    void advance(Map<Received, Long> sequences) {
        statement(ADVANCE, sequences.keySet())
                .param("sequences", sequences.values().toArray(Long[]::new))
                .update();
    }

    /** Returns whether an operator has retried a delivery. */
    boolean isRetried(UUID eventId, Collection<String> handlerIds) {
        return client.sql(names.apply(RETRIED))
                .param("event_id", eventId)
                .param("handler_ids", handlerIds.toArray(String[]::new))
                .query(Boolean.class)
                .single();
    }

    /** Returns the database's time in whole milliseconds. */
    Instant now() {
        return Instant.ofEpochMilli(client.sql(NOW).query(Long.class).single());
    }

    /** Removes the rows that were not used for a time, page by page. */
    public void removeIdle(Duration age, int pageSize) {
        long total = 0;
        Page page = new Page(pageSize, 0, new Received(new Aggregate("", ""), ""));
        while (page.size() == pageSize && !Thread.currentThread().isInterrupted()) {
            page = client.sql(names.apply(REMOVE_IDLE))
                    .param("age_millis", age.toMillis())
                    .param("after_type", page.last().aggregate().type())
                    .param("after_id", page.last().aggregate().id())
                    .param("after_topic", page.last().topic())
                    .param("limit", pageSize)
                    .query((row, number) -> new Page(
                            row.getLong(1),
                            row.getLong(2),
                            new Received(new Aggregate(row.getString(3), row.getString(4)), row.getString(5))))
                    .optional()
                    .orElse(new Page(0, 0, page.last()));
            total += page.removed();
        }
        if (total > 0) {
            log.info("Removed the last sequences of {} aggregates without received events for {}", total, age);
        }
    }

    private JdbcClient.StatementSpec statement(String sql, Collection<Received> aggregates) {
        return client.sql(names.apply(sql))
                .param(
                        "aggregate_types",
                        texts(aggregates, (received) -> received.aggregate().type()))
                .param(
                        "aggregate_ids",
                        texts(aggregates, (received) -> received.aggregate().id()))
                .param("topics", texts(aggregates, Received::topic));
    }

    private static String[] texts(Collection<Received> aggregates, Function<Received, String> text) {
        return aggregates.stream().map(text).toArray(String[]::new);
    }
}
