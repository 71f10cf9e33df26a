package dev.outbox.internal.store;

import dev.outbox.internal.delivery.NewEvent.Aggregate;
import dev.outbox.internal.store.RetentionStore.CounterPage;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.UUID;
import javax.sql.DataSource;

/** Last sequence received of each aggregate of another service. Its row lock orders the instances that receive the same events. */
public final class ReceivedStore {

    /** Last sequence of an aggregate of which nothing is stored. */
    public static final long NONE = -1;

    /** Relies on outbox_received_pk. Locks in sorted order, until the transaction ends. */
    static final String LOCK = """
            INSERT INTO {schema}.outbox_received AS r (aggregate_type, aggregate_id, last_seq)
            SELECT aggregate_type, aggregate_id, -1
              FROM unnest(:aggregate_types::text[], :aggregate_ids::text[]) AS i (aggregate_type, aggregate_id)
             ORDER BY aggregate_type COLLATE "C", aggregate_id COLLATE "C"
            ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
               SET last_used_at = now()
            RETURNING aggregate_type, aggregate_id, last_seq
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
              FROM unnest(:aggregate_types::text[], :aggregate_ids::text[], :sequences::bigint[])
                   AS i (aggregate_type, aggregate_id, last_seq)
             WHERE r.aggregate_type = i.aggregate_type
               AND r.aggregate_id = i.aggregate_id
               AND r.last_seq < i.last_seq
            """;

    /** Relies on outbox_operation_event. */
    static final String RETRIED = """
            SELECT EXISTS (SELECT FROM {schema}.outbox_operation p
                            WHERE p.event_id = :event_id
                              AND p.handler_id = :handler_id
                              AND p.action = 'RETRY')
            """;

    private static final String NOW = """
            SELECT extract(epoch FROM clock_timestamp())
            """;

    /** Relies on outbox_received_pk. */
    static final String REMOVE_IDLE = """
            WITH looked AS MATERIALIZED (
                SELECT r.ctid AS place, r.aggregate_type, r.aggregate_id,
                       r.last_used_at < now() - :age_millis * interval '1 millisecond' AS unused
                  FROM {schema}.outbox_received r
                 WHERE (r.aggregate_type, r.aggregate_id) > (:after_type, :after_id)
                   AND (SELECT pg_try_advisory_xact_lock(hashtextextended('outbox retention of {schema}', 0)))
                 ORDER BY r.aggregate_type, r.aggregate_id
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
                   last.aggregate_id
              FROM (SELECT looked.aggregate_type, looked.aggregate_id
                      FROM looked
                     ORDER BY looked.aggregate_type DESC, looked.aggregate_id DESC
                     LIMIT 1) last
            """;

    private final DataSource dataSource;
    private final BoundConnection transaction;
    private final NamedSql lock;
    private final NamedSql known;
    private final NamedSql advance;
    private final NamedSql retried;
    private final NamedSql now;
    private final Pipeline removeIdle;

    public ReceivedStore(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.dataSource = dataSource;
        this.transaction = new BoundConnection(dataSource);
        this.lock = new NamedSql(schema.render(LOCK));
        this.known = new NamedSql(schema.render(KNOWN.replace("{archive}", archiveSchema.quoted())));
        this.advance = new NamedSql(schema.render(ADVANCE));
        this.retried = new NamedSql(schema.render(RETRIED));
        this.now = new NamedSql(NOW);
        this.removeIdle = new Pipeline(schema, REMOVE_IDLE);
    }

    /** Locks aggregates in the thread's transaction, and returns their last sequences, or {@link #NONE}. */
    public Map<Aggregate, Long> lock(SortedSet<Aggregate> aggregates) throws SQLException {
        return run(lock, (parameters) -> bind(parameters, aggregates), (statement) -> {
            Map<Aggregate, Long> sequences = new HashMap<>();
            ResultSet row = statement.executeQuery();
            while (row.next()) {
                sequences.put(new Aggregate(row.getString(1), row.getString(2)), row.getLong(3));
            }
            return sequences;
        });
    }

    /** Returns which events the queue, history or the archive holds. */
    public Set<UUID> known(Collection<UUID> eventIds) throws SQLException {
        return run(known, (parameters) -> parameters.setTexts("event_ids", eventIds, UUID::toString), (statement) -> {
            Set<UUID> found = new HashSet<>();
            ResultSet row = statement.executeQuery();
            while (row.next()) {
                found.add(row.getObject(1, UUID.class));
            }
            return found;
        });
    }

    /** Raises the last sequences of locked aggregates. */
    public void advance(Map<Aggregate, Long> sequences) throws SQLException {
        run(
                advance,
                (parameters) ->
                        bind(parameters, sequences.keySet()).setLongs("sequences", sequences.values(), Long::longValue),
                PreparedStatement::executeUpdate);
    }

    /** Returns whether an operator has retried a delivery. */
    public boolean isRetried(UUID eventId, String handlerId) throws SQLException {
        return run(
                retried,
                (parameters) -> parameters.set("event_id", eventId).set("handler_id", handlerId),
                (statement) -> {
                    ResultSet row = statement.executeQuery();
                    return row.next() && row.getBoolean(1);
                });
    }

    /** Returns the database's time in whole milliseconds. */
    public Instant now() throws SQLException {
        return run(now, (parameters) -> {}, (statement) -> {
            ResultSet row = statement.executeQuery();
            row.next();
            return Instant.ofEpochMilli(row.getBigDecimal(1).movePointRight(3).longValue());
        });
    }

    /** Removes the rows of a page that were not used for a time. */
    public CounterPage removeIdle(CounterPage after, Duration age, int limit) throws SQLException {
        return removeIdle.run(
                dataSource,
                (parameters) -> parameters
                        .set("age_millis", age.toMillis())
                        .set("after_type", after.aggregateType())
                        .set("after_id", after.aggregateId())
                        .set("limit", limit),
                (results) -> {
                    ResultSet row = results.rows();
                    return row.next()
                            ? new CounterPage(row.getInt(1), row.getInt(2), 0, row.getString(3), row.getString(4))
                            : CounterPage.BEGINNING;
                });
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, Collection<Aggregate> aggregates)
            throws SQLException {
        return parameters
                .setTexts("aggregate_types", aggregates, Aggregate::type)
                .setTexts("aggregate_ids", aggregates, Aggregate::id);
    }

    /** Runs a prepared statement. */
    @FunctionalInterface
    private interface Execution<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    private <T> T run(NamedSql sql, Pipeline.Binder binder, Execution<T> execution) throws SQLException {
        return transaction.call((connection) -> {
            try (PreparedStatement statement = connection.prepareStatement(sql.positional())) {
                NamedSql.Parameters parameters = sql.bind(statement);
                binder.bind(parameters);
                parameters.requireAll();
                return execution.run(statement);
            }
        });
    }
}
