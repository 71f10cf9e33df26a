package dev.outbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/** Counts the events of each stream by status. */
public final class StatusStore {

    /** Largest number of events of one stream and state that are counted exactly. */
    public static final int MOST_COUNTED = 10_000;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final String AT_MOST = "SELECT set_config('statement_timeout', '1s', true)";

    /**
     * Relies on outbox_unpublished_pending, outbox_unpublished_pk, outbox_delivery_backlog and outbox_delivery_pk; reads outbox_claim
     * whole. The cost does not depend on the backlog: above the bound, pending events are estimated from the density of ids, and others
     * are not counted. Includes streams that no poller has registered.
     */
    static final String COUNT = """
            WITH RECURSIVE queued AS (
                (SELECT o.stream
                   FROM {schema}.outbox_unpublished o
                  WHERE o.dispatched_at IS NULL
                  ORDER BY o.stream, o.id
                  LIMIT 1)
                 UNION ALL
                SELECT next.stream
                  FROM queued
                 CROSS JOIN LATERAL (SELECT o.stream
                                       FROM {schema}.outbox_unpublished o
                                      WHERE o.stream > queued.stream
                                        AND o.dispatched_at IS NULL
                                      ORDER BY o.stream, o.id
                                      LIMIT 1) next
            ), delivered AS (
                (SELECT d.stream
                   FROM {schema}.outbox_delivery d
                  ORDER BY d.stream
                  LIMIT 1)
                 UNION ALL
                SELECT next.stream
                  FROM delivered
                 CROSS JOIN LATERAL (SELECT d.stream
                                       FROM {schema}.outbox_delivery d
                                      WHERE d.stream > delivered.stream
                                      ORDER BY d.stream
                                      LIMIT 1) next
            ), streams AS (
                SELECT s.stream FROM {schema}.outbox_stream s
                 UNION
                SELECT queued.stream FROM queued
                 UNION
                SELECT delivered.stream FROM delivered
            )
            SELECT streams.stream,
                   greatest(0, CASE WHEN pending.events < {most} THEN pending.events
                                    ELSE ceil(pending.events::float8 / (pending.last - pending.first + 1)
                                              * ((SELECT o.id
                                                    FROM {schema}.outbox_unpublished o
                                                   WHERE (o.stream, o.id) >= (streams.stream, 0)
                                                     AND (o.stream, o.id) <= (streams.stream, 9223372036854775807)
                                                     AND o.dispatched_at IS NULL
                                                   ORDER BY o.stream DESC, o.id DESC
                                                   LIMIT 1) - pending.first + 1)) END - processing.events)::bigint,
                   processing.events,
                   retrying.events,
                   dead.events,
                   dead.lanes,
                   coalesce((SELECT ceil(extract(epoch FROM clock_timestamp() - greatest(least(o.occurred_at, '10000-01-01'), '0001-01-01'))
                                          * 1000)::bigint
                               FROM {schema}.outbox_unpublished o
                              WHERE (o.stream, o.id) >= (streams.stream, 0)
                                AND (o.stream, o.id) <= (streams.stream, 9223372036854775807)
                                AND o.dispatched_at IS NULL
                              ORDER BY o.stream, o.id
                              LIMIT 1), 0),
                   coalesce((SELECT ceil(extract(epoch FROM clock_timestamp() - greatest(least(o.occurred_at, '10000-01-01'), '0001-01-01'))
                                          * 1000)::bigint
                               FROM {schema}.outbox_unpublished o
                              WHERE o.id = retrying.oldest
                              LIMIT 1), 0)
              FROM streams
             CROSS JOIN LATERAL (SELECT count(*) AS events, min(o.id) AS first, max(o.id) AS last
                                   FROM (SELECT o.id
                                           FROM {schema}.outbox_unpublished o
                                          WHERE (o.stream, o.id) >= (streams.stream, 0)
                                            AND (o.stream, o.id) <= (streams.stream, 9223372036854775807)
                                            AND o.dispatched_at IS NULL
                                          ORDER BY o.stream, o.id
                                          LIMIT {most}) o) pending
             CROSS JOIN LATERAL (SELECT count(*) AS events
                                   FROM (SELECT unnest(c.event_ids) AS id
                                           FROM {schema}.outbox_claim c
                                          WHERE c.stream = streams.stream
                                            AND c.locked_until >= clock_timestamp()
                                          LIMIT {most}) claimed
                                  WHERE (SELECT o.dispatched_at IS NULL
                                           FROM {schema}.outbox_unpublished o
                                          WHERE o.id = claimed.id
                                          LIMIT 1)) processing
             CROSS JOIN LATERAL (SELECT count(DISTINCT d.outbox_id) AS events,
                                        min(d.outbox_id) FILTER (WHERE d.replay_id IS NULL) AS oldest
                                   FROM (SELECT d.outbox_id, d.replay_id
                                           FROM {schema}.outbox_delivery d
                                          WHERE d.stream = streams.stream
                                            AND d.status IN ('DUE', 'WAITING')
                                          LIMIT {most}) d) retrying
             CROSS JOIN LATERAL (SELECT count(DISTINCT d.outbox_id)
                                          FILTER (WHERE (SELECT open.outbox_id
                                                           FROM {schema}.outbox_delivery open
                                                          WHERE open.outbox_id = d.outbox_id
                                                            AND open.status <> 'DEAD'
                                                          LIMIT 1) IS NULL) AS events,
                                        count(*) FILTER (WHERE d.head) AS lanes
                                   FROM (SELECT d.outbox_id, d.head
                                           FROM {schema}.outbox_delivery d
                                          WHERE d.stream = streams.stream
                                            AND d.status = 'DEAD'
                                          LIMIT {most}) d) dead
            """.replace("{most}", Integer.toString(MOST_COUNTED));

    private final DataSource dataSource;
    private final Pipeline count;

    public StatusStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.count = new Pipeline(schema, LONGEST_WAIT, AT_MOST, Pipeline.IN_INDEX_ORDER, COUNT);
    }

    /**
     * Events of a stream by status, lanes whose head is a dead letter that blocks them, and the ages of the oldest pending event and of the
     * oldest retrying one.
     */
    public record Counts(
            long pending,
            long processing,
            long retrying,
            long dead,
            long blockedLanes,
            Duration oldestPending,
            Duration oldestRetrying) {

        /** No events. */
        public static final Counts NONE = new Counts(0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO);
    }

    /** Counts the events of every stream in at most a second. */
    public Map<String, Counts> count() throws SQLException {
        return count.run(dataSource, (parameters) -> {}, (results) -> {
            results.skip(2);
            Map<String, Counts> counts = new HashMap<>();
            ResultSet row = results.rows();
            while (row.next()) {
                counts.put(
                        row.getString(1),
                        new Counts(
                                row.getLong(2),
                                row.getLong(3),
                                row.getLong(4),
                                row.getLong(5),
                                row.getLong(6),
                                Duration.ofMillis(row.getLong(7)),
                                Duration.ofMillis(row.getLong(8))));
            }
            return counts;
        });
    }
}
