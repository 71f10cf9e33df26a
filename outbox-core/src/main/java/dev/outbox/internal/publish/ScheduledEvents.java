package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Stores and withdraws scheduled events in the caller's transaction, under the lock of their aggregate's counter, which the mover takes
 * too: an event is withdrawn or moved, never both.
 */
final class ScheduledEvents {

    private final NamedSql insert;
    private final NamedSql find;
    private final NamedSql delete;

    ScheduledEvents(OutboxSchema schema) {
        this.insert = sql(schema, "schedule");
        this.find = sql(schema, "scheduled");
        this.delete = sql(schema, "withdraw");
    }

    private static NamedSql sql(OutboxSchema schema, String result) {
        return new NamedSql(schema.render(NamedSql.of(ScheduledEvents.class, "publish.sql", result)));
    }

    /** Stores an event instead of the one with its key, unless it keeps that one; returns the one that is scheduled now. */
    EventEnvelope put(Connection connection, NewEvent event) throws SQLException {
        String key = event.given().key();
        if (key != null) {
            EventEnvelope existing = event.given().keepsExisting() ? find(connection, event.aggregate(), key) : null;
            if (existing != null) {
                return existing;
            }
            delete(connection, event.aggregate(), key);
        }
        return insert(connection, event);
    }

    /** Returns whether an event with the key was scheduled. */
    boolean delete(Connection connection, Aggregate aggregate, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(delete.positional())) {
            bind(delete, statement, aggregate, key).requireAll();
            return statement.executeUpdate() > 0;
        }
    }

    private @Nullable EventEnvelope find(Connection connection, Aggregate aggregate, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(find.positional())) {
            bind(find, statement, aggregate, key).requireAll();
            ResultSet row = statement.executeQuery();
            return row.next() ? EventRow.read(row) : null;
        }
    }

    private EventEnvelope insert(Connection connection, NewEvent event) throws SQLException {
        OutboxEvent given = event.given();
        Duration after = given.deliverAfter();
        try (PreparedStatement statement = connection.prepareStatement(insert.positional())) {
            bind(insert, statement, event.aggregate(), given.key())
                    .set("event_id", event.eventId())
                    .set("stream", event.stream())
                    .set("type", event.type().name())
                    .set("version", event.type().version())
                    .set("payload", event.body().payload())
                    .set("headers", event.body().headersJson())
                    .set("occurred_at", given.occurredAt() == null ? null : event.occurredAt())
                    .set("due_at", given.deliverAt())
                    .set(
                            "delay_millis",
                            after == null ? null : after.plusNanos(999_999).toMillis())
                    .requireAll();
            ResultSet row = statement.executeQuery();
            row.next();
            return EventRow.read(row);
        }
    }

    private static NamedSql.Parameters bind(
            NamedSql sql, PreparedStatement statement, Aggregate aggregate, @Nullable String key) throws SQLException {
        return sql.bind(statement)
                .set("aggregate_type", aggregate.type())
                .set("aggregate_id", aggregate.id())
                .set("key", key);
    }
}
