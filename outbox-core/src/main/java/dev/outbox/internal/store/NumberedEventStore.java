package dev.outbox.internal.store;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.delivery.InsertedEvent;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.delivery.NewEvent.Aggregate;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;

/**
 * Inserts events whose numbers are decided outside the database, on a connection of the caller's: lock the aggregates, find what
 * is known, decide, insert.
 */
public final class NumberedEventStore {

    /**
     * Relies on outbox_aggregate_pk. Locks the counters in sorted order without advancing them. Only a counter that the outbox advances
     * begins at the floor.
     */
    private static final String LOCK_AGGREGATES = """
            INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
            SELECT aggregate_type, aggregate_id, CASE WHEN counted THEN {schema}.outbox_aggregate_floor() ELSE 0 END
              FROM unnest(:aggregate_types::text[], :aggregate_ids::text[], :counted::boolean[]) AS i (aggregate_type, aggregate_id, counted)
             ORDER BY aggregate_type COLLATE "C", aggregate_id COLLATE "C"
            ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
               SET last_seq = a.last_seq
            RETURNING aggregate_type, aggregate_id, last_seq
            """;

    /** Relies on outbox_unpublished_event_id and outbox_published_event_id. */
    private static final String FIND = """
            SELECT {envelope}
              FROM {schema}.outbox o
             WHERE o.event_id = ANY (:event_ids::uuid[])
            """;

    /** Relies on outbox_aggregate_pk. The counters are locked, and their new values decided by the caller. */
    private static final String INSERT_NUMBERED = """
            WITH input AS (
                SELECT i.*
                  FROM unnest(:event_ids::uuid[], :streams::text[], :aggregate_types::text[], :aggregate_ids::text[],
                              :types::text[], :versions::integer[], :payloads::text[], :headers::text[],
                              :occurred_at::timestamptz[], :sequences::bigint[])
                       WITH ORDINALITY
                       AS i (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version, payload, headers,
                             occurred_at, aggregate_seq, place)
            ), counter AS (
                UPDATE {schema}.outbox_aggregate a
                   SET last_seq = latest.aggregate_seq,
                       last_used_at = now()
                  FROM (SELECT aggregate_type, aggregate_id, max(aggregate_seq) AS aggregate_seq
                          FROM input
                         GROUP BY aggregate_type, aggregate_id) latest
                 WHERE a.aggregate_type = latest.aggregate_type
                   AND a.aggregate_id = latest.aggregate_id
            )
            INSERT INTO {schema}.outbox_unpublished
                   (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                    headers, occurred_at)
            SELECT event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version,
                   payload::jsonb, headers::jsonb, occurred_at
              FROM input
             ORDER BY place
            RETURNING id, event_id, aggregate_seq
            """;

    private final NamedSql lockAggregates;
    private final NamedSql find;
    private final NamedSql insertNumbered;

    /** Creates a store. */
    public NumberedEventStore(OutboxSchema schema) {
        this.lockAggregates = new NamedSql(schema.render(LOCK_AGGREGATES));
        this.find = new NamedSql(schema.render(FIND));
        this.insertNumbered = new NamedSql(schema.render(INSERT_NUMBERED));
    }

    /** Locks the counters of aggregates until the caller's transaction ends. */
    public Map<Aggregate, Long> lockAggregates(Connection connection, SortedMap<Aggregate, Boolean> aggregates)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(lockAggregates.positional())) {
            List<Aggregate> sorted = List.copyOf(aggregates.keySet());
            lockAggregates
                    .bind(statement)
                    .setTexts("aggregate_types", sorted, Aggregate::type)
                    .setTexts("aggregate_ids", sorted, Aggregate::id)
                    .set("counted", aggregates.values().toArray(Boolean[]::new))
                    .requireAll();
            Map<Aggregate, Long> lastSequences = new HashMap<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    lastSequences.put(new Aggregate(row.getString(1), row.getString(2)), row.getLong(3));
                }
            }
            return lastSequences;
        }
    }

    /** Finds events, published ones included. */
    public Map<UUID, EventEnvelope> find(Connection connection, Collection<UUID> eventIds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(find.positional())) {
            Array ids = connection.createArrayOf("uuid", eventIds.toArray());
            find.bind(statement).set("event_ids", ids).requireAll();
            Map<UUID, EventEnvelope> found = new HashMap<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    EventEnvelope envelope = EventRow.read(row);
                    found.put(envelope.eventId(), envelope);
                }
            }
            return found;
        }
    }

    /** Inserts events whose sequences the caller has decided while it held the lock of {@link #lockAggregates}. */
    public Map<UUID, InsertedEvent> insert(Connection connection, List<NewEvent> events, List<Long> sequences)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertNumbered.positional())) {
            EventStore.bindColumns(connection, insertNumbered.bind(statement), events)
                    .setLongs("sequences", sequences, Long::longValue)
                    .requireAll();
            return EventStore.byEventId(EventStore.readStored(statement));
        }
    }
}
