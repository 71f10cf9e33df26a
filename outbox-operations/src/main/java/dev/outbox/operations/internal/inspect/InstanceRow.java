package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.registry.Subscriptions;
import dev.outbox.operations.OutboxOverview;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/** Instance, and whether its last heartbeat is recent. */
record InstanceRow(OutboxOverview.Instance instance, boolean alive) {

    /** Reads outbox_instance whole: it has a row per instance, and loses those that are not seen for a day. */
    static final String LIST = """
            SELECT i.name, i.application, i.started_at, i.last_seen_at, i.streams, i.open_circuits, i.stopped,
                   i.last_seen_at >= clock_timestamp() - interval '1 minute'
              FROM {schema}.outbox_instance i
             ORDER BY i.name
             LIMIT 1000
            """;

    /** Reads a row of {@link #LIST}. */
    static InstanceRow read(ResultSet row) throws SQLException {
        return new InstanceRow(
                new OutboxOverview.Instance(
                        row.getString(1),
                        row.getString(2),
                        row.getObject(3, OffsetDateTime.class).toInstant(),
                        row.getObject(4, OffsetDateTime.class).toInstant(),
                        Subscriptions.texts(row, 5),
                        Subscriptions.texts(row, 6),
                        Subscriptions.texts(row, 7)),
                row.getBoolean(8));
    }
}
