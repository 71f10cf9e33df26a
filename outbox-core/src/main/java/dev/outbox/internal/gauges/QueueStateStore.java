package dev.outbox.internal.gauges;

import dev.outbox.internal.gauges.QueueState.Handler;
import dev.outbox.internal.gauges.QueueState.Stream;
import dev.outbox.internal.gauges.QueueState.Table;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.KnownHandlers;
import dev.outbox.internal.schema.OutboxRelation;
import dev.outbox.internal.sql.Counted;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Counts what waits, by stream and by handler, and reads the size of the tables. */
public final class QueueStateStore {

    /** Time since {@code {since}} in milliseconds. */
    private static final String MILLIS_SINCE = "ceil(extract(epoch FROM clock_timestamp() - {since}) * 1000)::bigint";

    /** Age of an event, which the publisher may have dated out of the range of an interval. */
    private static final String AGE =
            MILLIS_SINCE.replace("{since}", "greatest(least(o.occurred_at, '10000-01-01'), '0001-01-01')");

    /** First deliveries of a stream: written so that outbox_unpublished_pending is read from either end. */
    private static final String PENDING = """
            FROM {schema}.outbox_unpublished o
                                                   WHERE (o.stream, o.id) >= (streams.stream, 0)
                                                     AND (o.stream, o.id) <= (streams.stream, 9223372036854775807)
                                                     AND o.dispatched_at IS NULL""";

    /** Whether a live claim has the lane of a delivery: hashed, because no row of the delivery limits it. */
    private static final String LEASED = """
            (d.aggregate_type, d.aggregate_id, d.handler_id)
                                                               IN (SELECT l.aggregate_type, l.aggregate_id, l.handler_id
                                                                     FROM {schema}.outbox_claim c
                                                                     JOIN {schema}.outbox_lane l ON l.claim_id = c.id
                                                                    WHERE c.locked_until >= clock_timestamp())""";

    /**
     * Relies on outbox_unpublished_pending, outbox_unpublished_pk, outbox_delivery_backlog, outbox_lane_claim and outbox_scheduled_due; reads
     * outbox_claim and outbox_handler whole. An event that a handler attempts or awaits is processed, not retried, as long as none has
     * failed. The cost does not depend on the backlog: above the bound, pending events are estimated from the density of ids, and others are
     * not counted. Includes streams that no poller has registered. Replayed events, which have left the queue, have no failures.
     */
    static final String COUNT = "WITH RECURSIVE "
            + LooseScan.of("queued", "outbox_unpublished", "d.stream", "d.dispatched_at IS NULL")
            + ", "
            + LooseScan.ofDeliveries("delivered", "d.stream")
            + ", "
            + LooseScan.of("planned", "outbox_scheduled", "d.stream", "true")
            + """
            , streams AS (
                SELECT s.stream FROM {schema}.outbox_stream s
                 UNION
                SELECT queued.stream FROM queued
                 UNION
                SELECT delivered.stream FROM delivered
                 UNION
                SELECT planned.stream FROM planned
            )
            SELECT streams.stream,
                   greatest(0, CASE WHEN pending.events < {most} THEN pending.events
                                    ELSE ceil(pending.events::float8 / (pending.last - pending.first + 1)
                                              * ((SELECT o.id {pending} ORDER BY o.stream DESC, o.id DESC LIMIT 1)
                                                 - pending.first + 1)) END - processing.events)::bigint,
                   processing.events + retrying.running,
                   retrying.events,
                   dead.deliveries,
                   dead.lanes,
                   coalesce((SELECT {age} {pending} ORDER BY o.stream, o.id LIMIT 1), 0),
                   coalesce({waiting}, 0),
                   scheduled.events,
                   greatest(coalesce({overdue}, 0), 0),
                   greatest(pending.events, processing.claimed) < {most},
                   greatest(processing.claimed, retrying.deliveries) < {most},
                   retrying.deliveries < {most},
                   dead.deliveries < {most},
                   scheduled.events < {most},
                   retrying.failures,
                   retrying.held,
                   EXISTS (SELECT FROM {schema}.outbox_stream s WHERE s.stream = streams.stream AND s.paused_until > now())
              FROM streams
             CROSS JOIN LATERAL (SELECT count(*) AS events, min(o.id) AS first, max(o.id) AS last
                                   FROM (SELECT o.id {pending} ORDER BY o.stream, o.id LIMIT {most}) o) pending
             CROSS JOIN LATERAL (SELECT count(*) AS claimed,
                                        count(*) FILTER (WHERE (SELECT o.dispatched_at IS NULL
                                                                  FROM {schema}.outbox_unpublished o
                                                                 WHERE o.id = claimed.id
                                                                 LIMIT 1)) AS events
                                   FROM (SELECT unnest(c.event_ids) AS id
                                           FROM {schema}.outbox_claim c
                                          WHERE c.stream = streams.stream
                                            AND c.locked_until >= clock_timestamp()
                                          LIMIT {most}) claimed) processing
             CROSS JOIN LATERAL (SELECT coalesce(sum(event.deliveries), 0) AS deliveries,
                                        count(*) FILTER (WHERE NOT event.running) AS events,
                                        count(*) FILTER (WHERE event.running) AS running,
                                        coalesce(sum(event.failures) FILTER (WHERE NOT event.running), 0) AS failures,
                                        count(*) FILTER (WHERE event.held AND NOT event.running) AS held,
                                        min(event.since) AS since
                                   FROM (SELECT count(*) AS deliveries,
                                                (SELECT o.retry_count
                                                   FROM {schema}.outbox_unpublished o
                                                  WHERE o.id = d.outbox_id
                                                  LIMIT 1) AS failures,
                                                bool_and(d.handler_id = ANY (ARRAY(SELECT h.id
                                                                                     FROM {schema}.outbox_handler h
                                                                                    WHERE h.paused_until > now()))) AS held,
                                                bool_and(d.attempt_count = 0)
                                                AND bool_or(d.attempt_count = 0 AND d.replay_id IS NULL AND {leased}) AS running,
                                                min(d.open_since) FILTER (WHERE d.replay_id IS NULL) AS since
                                           FROM (SELECT d.outbox_id, d.handler_id, d.replay_id, d.open_since, d.attempt_count,
                                                        d.aggregate_type, d.aggregate_id
                                                   FROM {schema}.outbox_delivery d
                                                  WHERE d.stream = streams.stream
                                                    AND d.status = 'OPEN'
                                                  LIMIT {most}) d
                                          GROUP BY d.outbox_id) event) retrying
             CROSS JOIN LATERAL (SELECT count(*) AS deliveries, count(*) FILTER (WHERE d.status = 'BLOCKING') AS lanes
                                   FROM (SELECT d.status
                                           FROM {schema}.outbox_delivery d
                                          WHERE d.stream = streams.stream
                                            AND d.status IN ('BLOCKING', 'DEAD')
                                          LIMIT {most}) d) dead
             CROSS JOIN LATERAL (SELECT count(*) AS events, min(s.due_at) AS due
                                   FROM (SELECT s.due_at
                                           FROM {schema}.outbox_scheduled s
                                          WHERE s.stream = streams.stream
                                          ORDER BY s.due_at
                                          LIMIT {most}) s) scheduled
            """.replace("{pending}", PENDING)
                    .replace("{age}", AGE)
                    .replace("{leased}", LEASED)
                    .replace("{waiting}", MILLIS_SINCE.replace("{since}", "retrying.since"))
                    .replace("{overdue}", MILLIS_SINCE.replace("{since}", "scheduled.due"))
                    .replace("{most}", Integer.toString(Counted.MOST));

    /**
     * Relies on outbox_delivery_backlog: one look-up for each stream, status and handler that has deliveries, and the first rows of each. The
     * constant limit shows the planner that they are few. Reads outbox_stream whole.
     */
    static final String DELIVERIES = "WITH RECURSIVE "
            + LooseScan.ofDeliveries("backlog", "d.stream, d.status, d.handler_id")
            + ", "
            + Counted.bound("backlog")
            + """
            SELECT b.handler_id,
                   coalesce(sum(first.deliveries) FILTER (WHERE b.status = 'OPEN'), 0),
                   coalesce(sum(first.deliveries) FILTER (WHERE b.status <> 'OPEN'), 0),
                   coalesce({waiting}, 0),
                   coalesce({running}, 0),
                   bound.most
              FROM bound
             CROSS JOIN backlog b
             CROSS JOIN LATERAL (SELECT count(*) AS deliveries, min(d.open_since) FILTER (WHERE d.replay_id IS NULL) AS since
                                   FROM (SELECT d.replay_id, d.open_since
                                           FROM (SELECT d.replay_id, d.open_since
                                                   FROM {schema}.outbox_delivery d
                                                  WHERE d.stream = b.stream
                                                    AND d.status = b.status
                                                    AND d.handler_id = b.handler_id
                                                  LIMIT {most}) d
                                          LIMIT bound.most) d) first
             GROUP BY b.handler_id, bound.most
            """.replace(
                            "{waiting}",
                            MILLIS_SINCE.replace("{since}", "min(first.since) FILTER (WHERE b.status = 'OPEN')"))
                    .replace(
                            "{running}",
                            MILLIS_SINCE.replace(
                                    "{since}",
                                    "min(first.since) FILTER (WHERE b.status = 'OPEN' AND b.stream NOT IN"
                                            + " (SELECT s.stream FROM {schema}.outbox_stream s WHERE s.paused_until > now()))"))
                    .replace("{most}", Integer.toString(Counted.MOST));

    /**
     * Relies on pg_class_relname_nsp_index. Reads catalogs and statistics only: the size of a file would wait for a transaction that rewrites the table.
     * An archive has its name and a column of its own, in any schema. A module may bring a table that grows too.
     */
    private static final String TABLES = """
            SELECT n.nspname || '.' || c.relname AS name,
                   greatest(c.reltuples::bigint, pg_stat_get_live_tuples(c.oid)),
                   (size.pages * current_setting('block_size')::bigint) AS bytes,
                   ((pg_stat_get_tuples_inserted(c.oid) - pg_stat_get_tuples_deleted(c.oid)) / statistics.days)::bigint
              FROM pg_catalog.pg_class c
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             CROSS JOIN (SELECT greatest(extract(epoch FROM clock_timestamp()
                                                            - coalesce(pg_stat_get_db_stat_reset_time(d.oid),
                                                                       pg_stat_get_bgwriter_stat_reset_time(),
                                                                       pg_postmaster_start_time())) / 86400, 1) AS days
                           FROM pg_catalog.pg_database d
                          WHERE d.datname = current_database()) statistics
             CROSS JOIN LATERAL (SELECT coalesce(sum(part.relpages), 0)::bigint AS pages
                                   FROM (SELECT c.oid
                                          UNION ALL
                                         SELECT c.reltoastrelid
                                          UNION ALL
                                         SELECT i.indexrelid
                                           FROM pg_catalog.pg_index i
                                          WHERE i.indrelid IN (c.oid, c.reltoastrelid)) relation (id)
                                   JOIN pg_catalog.pg_class part ON part.oid = relation.id) size
             WHERE c.relname = ANY (:growing::text[] || '{outbox_received}'::text[])
               AND c.relkind = 'r'
               AND CASE WHEN c.relname = 'events'
                        THEN (SELECT a.attnum FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'outbox_event_id') > 0
                        ELSE c.relnamespace = to_regnamespace('{schema}') END
             ORDER BY bytes DESC, name
            """;

    /** Of standbys and other readers of the log; NULL if there are none, or if the role may not see them. */
    private static final String REPLICATION_LAG =
            "SELECT max(pg_wal_lsn_diff(r.sent_lsn, r.replay_lsn))::bigint FROM pg_catalog.pg_stat_replication r";

    private static final List<String> GROWING = OutboxRelation.LIST.stream()
            .filter(OutboxRelation::grows)
            .map(OutboxRelation::name)
            .toList();

    private final DataSource dataSource;
    private final Pipeline read;

    /** Creates a store that runs its statements after one that limits them. */
    public QueueStateStore(DataSource dataSource, OutboxSchema schema, String limits) {
        this.dataSource = dataSource;
        this.read = new Pipeline(schema, limits, COUNT, DELIVERIES, HandlerStore.ALL, TABLES, REPLICATION_LAG);
    }

    /** Reads the state of every stream and registered handler. */
    public QueueState read() throws SQLException {
        return read.run(
                dataSource,
                (parameters) -> parameters.setTexts("growing", GROWING, (name) -> name),
                (results) -> new QueueState(
                        results.map(COUNT, QueueStateStore::stream),
                        handlers(results),
                        results.list(
                                TABLES,
                                (row) -> new Table(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4))),
                        results.row(REPLICATION_LAG).getObject(1, Long.class)));
    }

    private static Stream stream(ResultSet row) throws SQLException {
        return new Stream(
                row.getBoolean(18),
                counted(row, 2, 11),
                counted(row, 3, 12),
                counted(row, 4, 13),
                counted(row, 5, 14),
                counted(row, 6, 14),
                Duration.ofMillis(row.getLong(7)),
                Duration.ofMillis(row.getLong(8)),
                counted(row, 9, 15),
                Duration.ofMillis(row.getLong(10)),
                row.getLong(16),
                row.getLong(17));
    }

    private static Counted counted(ResultSet row, int value, int exact) throws SQLException {
        return new Counted(row.getLong(value), row.getBoolean(exact));
    }

    /** Adds up the deliveries of each registered handler under its current and former ids. */
    private static Map<String, Handler> handlers(Pipeline.Results results) throws SQLException {
        Map<String, Handler> byStoredId = results.map(
                DELIVERIES,
                (row) -> new Handler(
                        false,
                        Counted.upTo(row.getLong(2), row.getInt(6)),
                        Counted.upTo(row.getLong(3), row.getInt(6)),
                        Duration.ofMillis(row.getLong(4)),
                        Duration.ofMillis(row.getLong(5))));
        KnownHandlers known = HandlerStore.known(results);
        Map<String, Handler> deliveries = new HashMap<>();
        byStoredId.forEach((id, own) -> deliveries.merge(known.currentId(id), own, QueueStateStore::together));
        Map<String, Handler> handlers = new TreeMap<>();
        known.current()
                .forEach((handler) -> handlers.put(
                        handler.id(),
                        deliveries.getOrDefault(handler.id(), Handler.IDLE).withPaused(handler.paused())));
        return handlers;
    }

    private static Handler together(Handler one, Handler other) {
        return new Handler(
                false,
                one.open().plus(other.open()),
                one.dead().plus(other.dead()),
                longer(one.lag(), other.lag()),
                longer(one.lagOfRunningStreams(), other.lagOfRunningStreams()));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
