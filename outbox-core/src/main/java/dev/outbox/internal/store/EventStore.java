package dev.outbox.internal.store;

import dev.outbox.internal.delivery.InsertedEvent;
import dev.outbox.internal.delivery.NewEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Inserts events on a connection of the caller's, within its transaction. Sequences come from a counter per aggregate, whose
 * row lock lasts until the caller's transaction ends: no later publisher can commit before an earlier one.
 */
public final class EventStore {

    /** Relies on outbox_aggregate_pk. A sequence of the caller's that does not grow leaves the counter and stores nothing. */
    private static final String INSERT = """
            WITH counter AS (
                INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
                VALUES (:aggregate_type, :aggregate_id, coalesce(:seq::bigint, {schema}.outbox_aggregate_floor() + 1))
                ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
                   SET last_seq = coalesce(:seq::bigint, a.last_seq + 1),
                       last_used_at = now()
                 WHERE :seq::bigint IS NULL OR a.last_seq < :seq::bigint
                RETURNING aggregate_type, aggregate_id, last_seq
            )
            INSERT INTO {schema}.outbox_unpublished
                   (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                    headers, occurred_at)
            SELECT :event_id, :stream, aggregate_type, aggregate_id, last_seq, :type, :version, :payload::jsonb, :headers::jsonb,
                   :occurred_at::timestamptz
              FROM counter
            RETURNING id, event_id, aggregate_seq
            """;

    /** Relies on outbox_aggregate_pk. Locks the counters in sorted order; numbers the events of each in the order given. */
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
            ), floor AS MATERIALIZED (
                SELECT {schema}.outbox_aggregate_floor() AS value
            ), counter AS (
                INSERT INTO {schema}.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
                SELECT aggregate_type, aggregate_id, (SELECT floor.value FROM floor) + events
                  FROM total
                 ORDER BY aggregate_type COLLATE "C", aggregate_id COLLATE "C"
                ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
                   SET last_seq = a.last_seq + excluded.last_seq - (SELECT floor.value FROM floor),
                       last_used_at = now()
                RETURNING aggregate_type, aggregate_id, last_seq
            )
            INSERT INTO {schema}.outbox_unpublished
                   (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                    headers, occurred_at)
            SELECT input.event_id, input.stream, input.aggregate_type, input.aggregate_id,
                   counter.last_seq - total.events + input.number,
                   input.event_type, input.schema_version, input.payload::jsonb, input.headers::jsonb, input.occurred_at
              FROM input
              JOIN total USING (aggregate_type, aggregate_id)
              JOIN counter USING (aggregate_type, aggregate_id)
             ORDER BY input.place
            RETURNING id, event_id, aggregate_seq
            """;

    private final NamedSql insert;
    private final NamedSql insertAll;

    /** Creates a store. */
    public EventStore(OutboxSchema schema) {
        this.insert = new NamedSql(schema.render(INSERT));
        this.insertAll = new NamedSql(schema.render(INSERT_ALL));
    }

    /** Inserts an event whose id is new, in one statement. */
    public Optional<InsertedEvent> insert(Connection connection, NewEvent event) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert.positional())) {
            insert.bind(statement)
                    .set("aggregate_type", event.aggregate().type())
                    .set("aggregate_id", event.aggregate().id())
                    .set("seq", event.chosen().aggregateSeq())
                    .set("event_id", event.eventId())
                    .set("stream", event.stream())
                    .set("type", event.type().name())
                    .set("version", event.type().version())
                    .set("payload", event.body().payload())
                    .set("headers", event.body().headersJson())
                    .set("occurred_at", event.occurredAt().toString())
                    .requireAll();
            return readStored(statement).stream().findFirst();
        }
    }

    /** Inserts events whose ids are new and whose sequences the outbox counts, in one statement. */
    public Map<UUID, InsertedEvent> insertAll(Connection connection, List<NewEvent> events) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertAll.positional())) {
            bindColumns(connection, insertAll.bind(statement), events).requireAll();
            return byEventId(readStored(statement));
        }
    }

    static NamedSql.Parameters bindColumns(Connection connection, NamedSql.Parameters parameters, List<NewEvent> events)
            throws SQLException {
        return parameters
                .set("event_ids", connection.createArrayOf("uuid", column(events, NewEvent::eventId)))
                .setTexts("streams", events, NewEvent::stream)
                .setTexts(
                        "aggregate_types", events, (event) -> event.aggregate().type())
                .setTexts("aggregate_ids", events, (event) -> event.aggregate().id())
                .setTexts("types", events, (event) -> event.type().name())
                .set(
                        "versions",
                        connection.createArrayOf(
                                "integer",
                                column(events, (event) -> event.type().version())))
                .setTexts("payloads", events, (event) -> event.body().payload())
                .setTexts("headers", events, (event) -> event.body().headersJson())
                .setTexts("occurred_at", events, (event) -> event.occurredAt().toString());
    }

    private static Object[] column(List<NewEvent> events, Function<NewEvent, Object> value) {
        return events.stream().map(value).toArray();
    }

    static List<InsertedEvent> readStored(PreparedStatement statement) throws SQLException {
        List<InsertedEvent> stored = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                stored.add(new InsertedEvent(row.getLong(1), row.getObject(2, UUID.class), row.getLong(3)));
            }
        }
        return stored;
    }

    static Map<UUID, InsertedEvent> byEventId(List<InsertedEvent> rows) {
        Map<UUID, InsertedEvent> stored = new HashMap<>();
        rows.forEach((row) -> stored.put(row.eventId(), row));
        return stored;
    }
}
