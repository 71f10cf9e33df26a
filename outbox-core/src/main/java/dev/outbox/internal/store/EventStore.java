package dev.outbox.internal.store;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.delivery.InsertedEvent;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.delivery.NewEvent.Aggregate;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.UUID;

/**
 * Inserts events in the caller's transaction. Until it ends, the row lock of an aggregate's counter, or of the application's entity, keeps
 * later publishers of the aggregate from committing before.
 */
public final class EventStore {

    private static final String EVENT = """
            INSERT INTO {schema}.outbox_unpublished
                   (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                    headers, occurred_at)
            """;

    /** Relies on outbox_aggregate_pk. */
    private static final String INSERT = """
            WITH counter AS (
                INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
                VALUES (:aggregate_type, :aggregate_id, 1)
                ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
                   SET last_seq = a.last_seq + 1
                RETURNING aggregate_type, aggregate_id, last_seq
            )
            """ + EVENT + """
            SELECT :event_id, :stream, aggregate_type, aggregate_id, last_seq, :type, :version, :payload::jsonb, :headers::jsonb,
                   :occurred_at
              FROM counter
            RETURNING id, aggregate_seq
            """;

    private static final String INSERT_WITH_SEQUENCE = EVENT + """
            VALUES (:event_id, :stream, :aggregate_type, :aggregate_id, :seq, :type, :version, :payload::jsonb, :headers::jsonb, :occurred_at)
            RETURNING id, aggregate_seq
            """;

    /** Relies on outbox_aggregate_pk. Locks the counters in sorted order, and numbers the events of each in the order given. */
    private static final String INSERT_ALL = """
            WITH input AS (
                SELECT i.*, row_number() OVER (PARTITION BY aggregate_type, aggregate_id ORDER BY place) AS number
                  FROM unnest(:event_ids::uuid[], :streams::text[], :aggregate_types::text[], :aggregate_ids::text[],
                              :types::text[], :versions::integer[], :payloads::text[], :headers::text[],
                              :occurred_at::timestamptz[])
                       WITH ORDINALITY
                       AS i (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version, payload, headers,
                             occurred_at, place)
            ), total AS (
                SELECT aggregate_type, aggregate_id, count(*) AS events
                  FROM input
                 GROUP BY aggregate_type, aggregate_id
            ), counter AS (
                INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
                SELECT aggregate_type, aggregate_id, events
                  FROM total
                 ORDER BY aggregate_type COLLATE "C", aggregate_id COLLATE "C"
                ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
                   SET last_seq = a.last_seq + excluded.last_seq
                RETURNING aggregate_type, aggregate_id, last_seq
            )
            """ + EVENT + """
            SELECT input.event_id, input.stream, input.aggregate_type, input.aggregate_id,
                   counter.last_seq - total.events + input.number,
                   input.event_type, input.schema_version, input.payload::jsonb, input.headers::jsonb, input.occurred_at
              FROM input
              JOIN total USING (aggregate_type, aggregate_id)
              JOIN counter USING (aggregate_type, aggregate_id)
             ORDER BY input.place
            RETURNING id, event_id, aggregate_seq
            """;

    /** Relies on outbox_aggregate_pk. Locks the counters in sorted order; new ones begin at 0. */
    private static final String LOCK_AGGREGATES = """
            INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
            SELECT aggregate_type, aggregate_id, 0
              FROM unnest(:aggregate_types::text[], :aggregate_ids::text[]) AS i (aggregate_type, aggregate_id)
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

    /** Relies on outbox_aggregate_pk. The caller has locked the counters, if there are any, and decided their new values. */
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
                   SET last_seq = latest.aggregate_seq
                  FROM (SELECT aggregate_type, aggregate_id, max(aggregate_seq) AS aggregate_seq
                          FROM input
                         GROUP BY aggregate_type, aggregate_id) latest
                 WHERE a.aggregate_type = latest.aggregate_type
                   AND a.aggregate_id = latest.aggregate_id
            )
            """ + EVENT + """
            SELECT event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version,
                   payload::jsonb, headers::jsonb, occurred_at
              FROM input
             ORDER BY place
            RETURNING id, event_id, aggregate_seq
            """;

    private final NamedSql insert;
    private final NamedSql insertWithSequence;
    private final NamedSql insertAll;
    private final NamedSql lockAggregates;
    private final NamedSql find;
    private final NamedSql insertNumbered;

    public EventStore(OutboxSchema schema) {
        this.insert = new NamedSql(schema.render(INSERT));
        this.insertWithSequence = new NamedSql(schema.render(INSERT_WITH_SEQUENCE));
        this.insertAll = new NamedSql(schema.render(INSERT_ALL));
        this.lockAggregates = new NamedSql(schema.render(LOCK_AGGREGATES));
        this.find = new NamedSql(schema.render(FIND));
        this.insertNumbered = new NamedSql(schema.render(INSERT_NUMBERED));
    }

    /** Inserts an event with a new id, in one statement. */
    public InsertedEvent insert(Connection connection, NewEvent event) throws SQLException {
        Long sequence = event.chosen().sequence();
        NamedSql sql = sequence == null ? insert : insertWithSequence;
        try (PreparedStatement statement = connection.prepareStatement(sql.positional())) {
            NamedSql.Parameters parameters = sql.bind(statement)
                    .set("aggregate_type", event.aggregate().type())
                    .set("aggregate_id", event.aggregate().id())
                    .set("event_id", event.eventId())
                    .set("stream", event.stream())
                    .set("type", event.type().name())
                    .set("version", event.type().version())
                    .set("payload", event.body().payload())
                    .set("headers", event.body().headersJson())
                    .set("occurred_at", event.occurredAt());
            if (sequence != null) {
                parameters.set("seq", sequence);
            }
            parameters.requireAll();
            ResultSet row = statement.executeQuery();
            row.next();
            return new InsertedEvent(row.getLong(1), event.eventId(), row.getLong(2));
        }
    }

    /** Inserts events with new ids whose sequences the outbox counts, in one statement. */
    public Map<UUID, InsertedEvent> insertAll(Connection connection, List<NewEvent> events) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertAll.positional())) {
            bind(insertAll.bind(statement), events).requireAll();
            return readInserted(statement);
        }
    }

    /** Locks the counters of aggregates, and returns the last sequences. */
    public Map<Aggregate, Long> lockAggregates(Connection connection, SortedSet<Aggregate> aggregates)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(lockAggregates.positional())) {
            lockAggregates
                    .bind(statement)
                    .setTexts("aggregate_types", aggregates, Aggregate::type)
                    .setTexts("aggregate_ids", aggregates, Aggregate::id)
                    .requireAll();
            Map<Aggregate, Long> lastSequences = new HashMap<>();
            ResultSet row = statement.executeQuery();
            while (row.next()) {
                lastSequences.put(new Aggregate(row.getString(1), row.getString(2)), row.getLong(3));
            }
            return lastSequences;
        }
    }

    /** Finds events, published ones included. */
    public Map<UUID, EventEnvelope> find(Connection connection, Collection<UUID> eventIds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(find.positional())) {
            find.bind(statement).setTexts("event_ids", eventIds, UUID::toString).requireAll();
            Map<UUID, EventEnvelope> found = new HashMap<>();
            ResultSet row = statement.executeQuery();
            while (row.next()) {
                EventEnvelope envelope = EventRow.read(row);
                found.put(envelope.eventId(), envelope);
            }
            return found;
        }
    }

    /** Inserts events whose sequences the caller has decided, after {@link #lockAggregates}. */
    public Map<UUID, InsertedEvent> insertNumbered(Connection connection, List<NewEvent> events, List<Long> sequences)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertNumbered.positional())) {
            bind(insertNumbered.bind(statement), events)
                    .setLongs("sequences", sequences, Long::longValue)
                    .requireAll();
            return readInserted(statement);
        }
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, List<NewEvent> events) throws SQLException {
        return parameters
                .setTexts("event_ids", events, (event) -> event.eventId().toString())
                .setTexts("streams", events, NewEvent::stream)
                .setTexts(
                        "aggregate_types", events, (event) -> event.aggregate().type())
                .setTexts("aggregate_ids", events, (event) -> event.aggregate().id())
                .setTexts("types", events, (event) -> event.type().name())
                .setLongs("versions", events, (event) -> event.type().version())
                .setTexts("payloads", events, (event) -> event.body().payload())
                .setTexts("headers", events, (event) -> event.body().headersJson())
                .setTexts("occurred_at", events, (event) -> event.occurredAt().toString());
    }

    private static Map<UUID, InsertedEvent> readInserted(PreparedStatement statement) throws SQLException {
        Map<UUID, InsertedEvent> inserted = new HashMap<>();
        ResultSet row = statement.executeQuery();
        while (row.next()) {
            UUID eventId = row.getObject(2, UUID.class);
            inserted.put(eventId, new InsertedEvent(row.getLong(1), eventId, row.getLong(3)));
        }
        return inserted;
    }
}
