package dev.outbox.internal.registry;

import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.OutboxOverview;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Set;
import javax.sql.DataSource;

/** Keeps the signs of life of the instances that poll. */
public final class InstanceStore {

    /** Reads outbox_instance whole: it has a row per instance, and loses those that are not seen for a day. */
    public static final String LIST = """
            SELECT i.name, i.started_at, i.last_seen_at, i.streams, i.open_circuits,
                   i.last_seen_at >= clock_timestamp() - interval '1 minute'
              FROM {schema}.outbox_instance i
             ORDER BY i.name
             LIMIT 1000
            """;

    /** Relies on outbox_instance_pk. */
    private static final String SEEN = """
            INSERT INTO {schema}.outbox_instance AS i (name, streams, handlers, open_circuits)
            VALUES (:name, :streams, :handlers, :open_circuits)
            ON CONFLICT (name) DO UPDATE
               SET last_seen_at = now(),
                   streams = excluded.streams,
                   handlers = excluded.handlers,
                   open_circuits = excluded.open_circuits
            """;

    /** Reads outbox_instance whole. */
    private static final String DELETE_OLD = """
            DELETE FROM {schema}.outbox_instance i
             WHERE i.last_seen_at < now() - interval '1 day'
            """;

    /** Relies on outbox_instance_pk. */
    private static final String DELETE = """
            DELETE FROM {schema}.outbox_instance i
             WHERE i.name = :name
            """;

    private final DataSource dataSource;
    private final Pipeline seen;
    private final Pipeline delete;

    public InstanceStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.seen = new Pipeline(schema, SEEN, DELETE_OLD);
        this.delete = new Pipeline(schema, DELETE);
    }

    /** Instance, and whether its last sign of life is recent. */
    public record Listed(OutboxOverview.Instance instance, boolean alive) {}

    /** What an instance has: the streams that it polls, and its handlers by all their ids. */
    public record Equipment(Set<String> streams, Set<String> handlerIds) {}

    /** Writes a sign of life of an instance, and removes instances without one for a day. */
    public void seen(String name, Equipment equipment, Set<String> openCircuits) throws SQLException {
        seen.run(
                dataSource,
                (parameters) -> parameters
                        .set("name", name)
                        .setTexts("streams", equipment.streams(), (stream) -> stream)
                        .setTexts("handlers", equipment.handlerIds(), (handlerId) -> handlerId)
                        .setTexts("open_circuits", openCircuits, (handlerId) -> handlerId));
    }

    /** Removes an instance that stops. */
    public void delete(String name) throws SQLException {
        delete.run(dataSource, (parameters) -> parameters.set("name", name));
    }

    /** Reads a row of {@link #LIST}. */
    public static Listed read(ResultSet row) throws SQLException {
        return new Listed(
                new OutboxOverview.Instance(
                        row.getString(1),
                        row.getObject(2, OffsetDateTime.class).toInstant(),
                        row.getObject(3, OffsetDateTime.class).toInstant(),
                        HandlerState.texts(row, 4),
                        HandlerState.texts(row, 5)),
                row.getBoolean(6));
    }
}
