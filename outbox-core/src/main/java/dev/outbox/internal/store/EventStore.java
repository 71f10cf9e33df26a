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
                VALUES (?, ?, coalesce(?::bigint, {schema}.outbox_aggregate_floor() + 1))
                ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE
                   SET last_seq = coalesce(?::bigint, a.last_seq + 1),
                       last_used_at = now()
                 WHERE ?::bigint IS NULL OR a.last_seq < ?::bigint
                RETURNING aggregate_type, aggregate_id, last_seq
            )
            INSERT INTO {schema}.outbox_unpublished
                   (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                    headers, occurred_at)
            SELECT ?, ?, aggregate_type, aggregate_id, last_seq, ?, ?, ?::jsonb, ?::jsonb, ?::timestamptz
              FROM counter
            RETURNING id, event_id, aggregate_seq
            """;

    /** Relies on outbox_aggregate_pk. Locks the counters in sorted order; numbers the events of each in the order given. */
    private static final String INSERT_ALL = """
            WITH input AS (
                SELECT i.*, row_number() OVER (PARTITION BY aggregate_type, aggregate_id ORDER BY place) AS number
                  FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::integer[], ?::text[], ?::text[],
                              ?::timestamptz[])
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

    private final String insert;
    private final String insertAll;

    /** Creates a store. */
    public EventStore(OutboxSchema schema) {
        this.insert = schema.render(INSERT);
        this.insertAll = schema.render(INSERT_ALL);
    }

    /** Inserts an event whose id is new, in one statement. */
    public Optional<InsertedEvent> insert(Connection connection, NewEvent event) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            Long seq = event.chosen().aggregateSeq();
            new NamedSql("")
                    .bind(statement)
                    .add(event.aggregate().type(), event.aggregate().id())
                    .add(seq, seq, seq, seq)
                    .add(
                            event.eventId(),
                            event.stream(),
                            event.type().name(),
                            event.type().version())
                    .add(
                            event.body().payload(),
                            event.body().headersJson(),
                            event.occurredAt().toString());
            return readStored(statement).stream().findFirst();
        }
    }

    /** Inserts events whose ids are new and whose sequences the outbox counts, in one statement. */
    public Map<UUID, InsertedEvent> insertAll(Connection connection, List<NewEvent> events) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertAll)) {
            bindColumns(connection, new NamedSql("").bind(statement), events);
            return byEventId(readStored(statement));
        }
    }

    static NamedSql.Parameters bindColumns(Connection connection, NamedSql.Parameters parameters, List<NewEvent> events)
            throws SQLException {
        return parameters
                .add(connection.createArrayOf("uuid", column(events, NewEvent::eventId)))
                .add(
                        SettlementStore.texts(events, NewEvent::stream),
                        SettlementStore.texts(
                                events, (event) -> event.aggregate().type()),
                        SettlementStore.texts(
                                events, (event) -> event.aggregate().id()),
                        SettlementStore.texts(events, (event) -> event.type().name()))
                .add(connection.createArrayOf(
                        "integer", column(events, (event) -> event.type().version())))
                .add(
                        SettlementStore.texts(events, (event) -> event.body().payload()),
                        SettlementStore.texts(events, (event) -> event.body().headersJson()))
                .add(connection.createArrayOf(
                        "timestamptz",
                        column(events, (event) -> event.occurredAt().toString())));
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
