package dev.outbox.forwarding.internal.received;

import dev.outbox.internal.publish.Aggregate;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.OutboxSchema;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Last sequence received of each aggregate of another service, in each topic: a broker gives an order within a topic only. Offsets in place of
 * sequences are compared within a partition. Its row lock orders the instances that receive the same events.
 */
public final class ReceivedStore {

    /** Tables of received sequences, which exist in the schema of an outbox that has an inbox. */
    public static final TableModule TABLES = TableModule.named("forwarding", "outbox_received");

    /** Last sequence of an aggregate of which nothing is stored. */
    public static final long NONE = -1;

    /** Relies on outbox_received_pk. Locks in sorted order, until the transaction ends. */
    static final String LOCK = """
            INSERT INTO {schema}.outbox_received AS r (aggregate_type, aggregate_id, topic, last_seq)
            SELECT i.aggregate_type, i.aggregate_id, i.topic, -1
              FROM unnest(:aggregate_types::text[], :aggregate_ids::text[], :topics::text[])
                   AS i (aggregate_type, aggregate_id, topic)
             ORDER BY i.aggregate_type COLLATE "C", i.aggregate_id COLLATE "C", i.topic COLLATE "C"
            ON CONFLICT (aggregate_type, aggregate_id, topic) DO UPDATE
               SET last_seq = r.last_seq
            RETURNING aggregate_type, aggregate_id, topic, last_seq,
                      (SELECT greatest(r.last_seq, max(o.last_seq))
                         FROM {schema}.outbox_received o
                        WHERE o.aggregate_type = r.aggregate_type
                          AND o.aggregate_id = r.aggregate_id)
            """;

    /**
     * Relies on outbox_unpublished_event_id, outbox_published_event_id, the unique index of the archive and outbox_aggregate_type_pk. Unordered
     * events have no owner.
     */
    static final String KNOWN = """
            SELECT e.event_id, CASE WHEN e.aggregate_type <> 'unordered' THEN coalesce(t.origin, own.origin) END
              FROM (SELECT o.event_id, o.aggregate_type
                      FROM {schema}.outbox o
                     WHERE o.event_id = ANY (:event_ids::uuid[])
                     UNION ALL
                    SELECT a.outbox_event_id, a.aggregate_type
                      FROM {archive}.events a
                     WHERE a.outbox_event_id = ANY (:event_ids::uuid[])) e
              LEFT JOIN {schema}.outbox_aggregate_type t ON t.aggregate_type = e.aggregate_type
              LEFT JOIN {schema}.outbox_aggregate_type own ON own.aggregate_type = 'outbox.forwarding.source'
            """;

    /** Relies on outbox_received_pk. The caller has locked the rows. */
    static final String ADVANCE = """
            UPDATE {schema}.outbox_received r
               SET last_seq = i.last_seq
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

    private final BoundConnection transaction;
    private final JdbcClient client;
    private final Function<String, String> names;

    /** Aggregate in a topic, or in a partition. */
    public record Received(Aggregate aggregate, String topic) implements Comparable<Received> {

        private static final Comparator<Received> ORDER =
                Comparator.comparing(Received::aggregate).thenComparing(Received::topic);

        @Override
        public int compareTo(Received other) {
            return ORDER.compare(this, other);
        }
    }

    /** Last sequence of an aggregate in a topic, and the highest in any topic; each may be {@link #NONE}. */
    public record Position(long last, long highest) {

        public static final Position NOTHING = new Position(NONE, NONE);
    }

    public ReceivedStore(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.transaction = new BoundConnection(dataSource);
        this.client = JdbcClient.create(dataSource);
        this.names = (sql) -> sql.replace("{schema}", schema.quoted()).replace("{archive}", archiveSchema.quoted());
    }

    /** Locks aggregates in the thread's transaction, limits how long that waits for answers, and returns their positions. */
    public Map<Received, Position> lock(SortedSet<Received> aggregates) {
        transaction.limitUntilCompletion();
        Map<Received, Position> positions = new HashMap<>();
        statement(LOCK, aggregates).query((row) -> {
            positions.put(
                    new Received(new Aggregate(row.getString(1), row.getString(2)), row.getString(3)),
                    new Position(row.getLong(4), row.getLong(5)));
        });
        return positions;
    }

    /** Returns which events the queue, history or the archive holds, with their sources as far as they are known. */
    public Map<UUID, @Nullable String> known(Collection<UUID> eventIds) {
        Map<UUID, @Nullable String> sources = new HashMap<>();
        client.sql(names.apply(KNOWN))
                .param("event_ids", eventIds.stream().map(UUID::toString).toArray(String[]::new))
                .query((row) -> {
                    sources.put(row.getObject(1, UUID.class), row.getString(2));
                });
        return sources;
    }

    /** Raises the last sequences of locked aggregates. */
    public void advance(Map<Received, Long> sequences) {
        statement(ADVANCE, sequences.keySet())
                .param("sequences", sequences.values().toArray(Long[]::new))
                .update();
    }

    /** Returns whether an operator has retried a delivery. */
    public boolean isRetried(UUID eventId, Collection<String> handlerIds) {
        return client.sql(names.apply(RETRIED))
                .param("event_id", eventId)
                .param("handler_ids", handlerIds.toArray(String[]::new))
                .query(Boolean.class)
                .single();
    }

    /** Returns the database's time in whole milliseconds. */
    public Instant now() {
        return Instant.ofEpochMilli(client.sql(NOW).query(Long.class).single());
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
