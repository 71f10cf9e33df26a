package dev.outbox.internal.absence;

import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;

/** Finds the streams that no running instance polls although events have waited there for a minute, or are retried. */
final class UnpolledStreamStore {

    /**
     * Relies on outbox_unpublished_pending, outbox_delivery_backlog and outbox_scheduled_due: a few look-ups for each stream. Reads
     * outbox_instance whole.
     */
    static final String FIND = "WITH RECURSIVE "
            + LooseScan.of("queued", "outbox_unpublished", "d.stream", "d.dispatched_at IS NULL")
            + ", "
            + LooseScan.of("retried", "outbox_delivery", "d.stream, d.status", "true")
            + ", "
            + LooseScan.of("planned", "outbox_scheduled", "d.stream", "true")
            + """
            SELECT waiting.stream
              FROM (SELECT queued.stream
                      FROM queued
                     WHERE (SELECT o.occurred_at
                              FROM {schema}.outbox_unpublished o
                             WHERE (o.stream, o.id) >= (queued.stream, 0)
                               AND (o.stream, o.id) <= (queued.stream, 9223372036854775807)
                               AND o.dispatched_at IS NULL
                             ORDER BY o.stream, o.id
                             LIMIT 1) < clock_timestamp() - interval '1 minute'
                     UNION
                    SELECT retried.stream FROM retried WHERE retried.status = 'OPEN'
                     UNION
                    SELECT planned.stream
                      FROM planned
                     WHERE (SELECT s.due_at
                              FROM {schema}.outbox_scheduled s
                             WHERE s.stream = planned.stream
                             ORDER BY s.due_at
                             LIMIT 1) < clock_timestamp() - interval '1 minute') waiting
             WHERE NOT EXISTS (SELECT
                                 FROM {schema}.outbox_instance i
                                WHERE waiting.stream = ANY (i.streams)
                                  AND i.last_seen_at >= clock_timestamp() - interval '1 minute')
            """;

    private final DataSource dataSource;
    private final Pipeline find;

    UnpolledStreamStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find = new Pipeline(schema, Pipeline.INSPECT, FIND);
    }

    Set<String> find() throws SQLException {
        return find.run(
                dataSource, (parameters) -> {}, (results) -> Set.copyOf(results.list((row) -> row.getString(1))));
    }
}
