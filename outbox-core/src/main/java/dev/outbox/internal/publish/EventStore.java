package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.publish.NewEvent.Aggregate;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.UUID;

/**
 * Inserts events in the caller's transaction. Until it ends, the row lock of an aggregate's counter, or of the application's entity, keeps
 * later publishers of the aggregate from committing before.
 */
final class EventStore {

    private static final String EVENT = """
            INSERT INTO {schema}.outbox_unpublished
                   (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                    headers, occurred_at)
            """;

    /** Relies on outbox_aggregate_type_pk: the type is stored, or has just been added. */
    private static final String TYPE_KNOWN = """
            (:type_added
             OR EXISTS (SELECT
                          FROM {schema}.outbox_aggregate_type t
                         WHERE t.aggregate_type = :aggregate_type
                           AND t.counted = :counted
                           AND t.origin IS NOT DISTINCT FROM :origin::text))
            """;

    /** Relies on outbox_aggregate_pk. */
    private static final String INSERT = """
            WITH counter AS (
                INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
                SELECT :aggregate_type, :aggregate_id, 1
                 WHERE {type_known}
                ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
                   SET last_seq = a.last_seq + 1
                RETURNING aggregate_type, aggregate_id, last_seq
            )
            """.replace("{type_known}", TYPE_KNOWN) + EVENT + """
            SELECT :event_id, :stream, aggregate_type, aggregate_id, last_seq, :type, :version, :payload::jsonb, :headers::jsonb,
                   :occurred_at
              FROM counter
            RETURNING id, aggregate_seq
            """;

    private static final String INSERT_WITH_SEQUENCE = EVENT + """
            SELECT :event_id, :stream, :aggregate_type, :aggregate_id, :seq, :type, :version, :payload::jsonb, :headers::jsonb,
                   :occurred_at
             WHERE {type_known}
            RETURNING id, aggregate_seq
            """.replace("{type_known}", TYPE_KNOWN);

    /**
     * Relies on outbox_aggregate_pk and outbox_aggregate_type_pk. Locks the counters in sorted order, and numbers the events of each in
     * the order given. Inserts nothing if a type is not known.
     */
    private static final String INSERT_ALL = """
            WITH input AS (
                SELECT i.*, row_number() OVER (PARTITION BY aggregate_type, aggregate_id ORDER BY place) AS number
                  FROM unnest(:event_ids::uuid[], :streams::text[], :aggregate_types::text[], :aggregate_ids::text[],
                              :types::text[], :versions::integer[], :payloads::text[], :headers::text[],
                              :occurred_at::timestamptz[], :sequences::bigint[], :origins::text[])
                       WITH ORDINALITY
                       AS i (event_id, stream, aggregate_type, aggregate_id, event_type, schema_version, payload, headers,
                             occurred_at, sequence, origin, place)
                 WHERE :types_added
                    OR NOT EXISTS (SELECT
                                     FROM unnest(:aggregate_types::text[], :sequences::bigint[], :origins::text[])
                                          AS e (aggregate_type, sequence, origin)
                                     LEFT JOIN {schema}.outbox_aggregate_type t
                                       ON t.aggregate_type = e.aggregate_type
                                      AND t.counted = (e.sequence IS NULL)
                                      AND t.origin IS NOT DISTINCT FROM e.origin
                                    WHERE t.aggregate_type IS NULL)
            ), total AS (
                SELECT aggregate_type, aggregate_id, count(*) AS events
                  FROM input
                 WHERE sequence IS NULL
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
                   coalesce(input.sequence, counter.last_seq - total.events + input.number),
                   input.event_type, input.schema_version, input.payload::jsonb, input.headers::jsonb, input.occurred_at
              FROM input
              LEFT JOIN total USING (aggregate_type, aggregate_id)
              LEFT JOIN counter USING (aggregate_type, aggregate_id)
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
            """;

    /** Relies on outbox_unpublished_event_id and outbox_published_event_id. */
    private static final String FIND = """
            SELECT {envelope}
              FROM {schema}.outbox o
             WHERE o.event_id = ANY (:event_ids::uuid[])
            """;

    private final NamedSql insert;
    private final NamedSql insertWithSequence;
    private final NamedSql insertAll;
    private final NamedSql lockAggregates;
    private final NamedSql find;

    public EventStore(OutboxSchema schema) {
        this.insert = new NamedSql(schema.render(INSERT));
        this.insertWithSequence = new NamedSql(schema.render(INSERT_WITH_SEQUENCE));
        this.insertAll = new NamedSql(schema.render(INSERT_ALL));
        this.lockAggregates = new NamedSql(schema.render(LOCK_AGGREGATES));
        this.find = new NamedSql(schema.render(FIND));
    }

    /** Inserts an event with a new id, in one statement; returns empty if its type is neither added nor known. */
    public Optional<InsertedEvent> insert(Connection connection, NewEvent event, boolean typeAdded)
            throws SQLException {
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
                    .set("occurred_at", event.occurredAt())
                    .set("type_added", typeAdded)
                    .set("counted", event.typeRule().counted())
                    .set("origin", event.typeRule().origin());
            if (sequence != null) {
                parameters.set("seq", sequence);
            }
            parameters.requireAll();
            ResultSet row = statement.executeQuery();
            return row.next()
                    ? Optional.of(new InsertedEvent(row.getLong(1), event.eventId(), row.getLong(2)))
                    : Optional.empty();
        }
    }

    /** Inserts new events in one statement; returns none if a type is neither added nor known. */
    public Map<UUID, InsertedEvent> insertAll(Connection connection, List<NewEvent> events, boolean typesAdded)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertAll.positional())) {
            bind(insertAll.bind(statement), events)
                    .set("types_added", typesAdded)
                    .requireAll();
            return readInserted(statement);
        }
    }

    /** Locks the counters of aggregates. */
    public void lockAggregates(Connection connection, SortedSet<Aggregate> aggregates) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(lockAggregates.positional())) {
            lockAggregates
                    .bind(statement)
                    .setTexts("aggregate_types", aggregates, Aggregate::type)
                    .setTexts("aggregate_ids", aggregates, Aggregate::id)
                    .requireAll();
            statement.executeUpdate();
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
                .setTexts("occurred_at", events, (event) -> event.occurredAt().toString())
                .set(
                        "sequences",
                        events.stream()
                                .map((event) -> event.chosen().sequence())
                                .toArray(Long[]::new))
                .setTexts("origins", events, (event) -> event.typeRule().origin());
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
