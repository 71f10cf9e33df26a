package dev.outbox.internal.inspect;

import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Backlog;
import dev.outbox.operations.OutboxOverview.Claim;
import dev.outbox.operations.OutboxOverview.Deliveries;
import dev.outbox.operations.OutboxOverview.Handler;
import dev.outbox.operations.OutboxOverview.Stream;
import dev.outbox.operations.OutboxOverview.Table;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Reads an overview: counts the events of each stream by status, and the deliveries of each handler. */
final class StatusStore {

    static final Backlog NO_EVENTS = new Backlog(0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, 0, Duration.ZERO, true);
    private static final Deliveries NO_DELIVERIES = new Deliveries(0, 0, Duration.ZERO, true);

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

    /**
     * Relies on outbox_unpublished_pending, outbox_unpublished_pk, outbox_delivery_backlog and outbox_scheduled_due; reads outbox_claim whole. The cost does not
     * depend on the backlog: above the bound, pending events are estimated from the density of ids, and others are not counted. Includes
     * streams that no poller has registered.
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
                   processing.events,
                   retrying.events,
                   dead.deliveries,
                   dead.lanes,
                   coalesce((SELECT {age} {pending} ORDER BY o.stream, o.id LIMIT 1), 0),
                   coalesce({waiting}, 0),
                   scheduled.events,
                   greatest(coalesce({overdue}, 0), 0),
                   greatest(pending.events, processing.claimed, retrying.deliveries, dead.deliveries, scheduled.events) < {most}
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
             CROSS JOIN LATERAL (SELECT count(*) AS deliveries,
                                        count(DISTINCT d.outbox_id) AS events,
                                        min(d.open_since) FILTER (WHERE d.replay_id IS NULL) AS since
                                   FROM (SELECT d.outbox_id, d.replay_id, d.open_since
                                           FROM {schema}.outbox_delivery d
                                          WHERE d.stream = streams.stream
                                            AND d.status = 'OPEN'
                                          LIMIT {most}) d) retrying
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
                    .replace("{waiting}", MILLIS_SINCE.replace("{since}", "retrying.since"))
                    .replace("{overdue}", MILLIS_SINCE.replace("{since}", "scheduled.due"))
                    .replace("{most}", Integer.toString(OutboxInspector.MOST_COUNTED));

    private static final String CLOCK = "SELECT clock_timestamp()";

    /** Reads outbox_stream whole: it has a row per stream. */
    static final String PAUSED_STREAMS = "SELECT s.stream FROM {schema}.outbox_stream s WHERE s.paused";

    /** Relies on outbox_published_at. */
    static final String RATES = """
            WITH latest AS MATERIALIZED (
                SELECT o.stream, o.published_at
                  FROM {schema}.outbox_published o
                 WHERE o.published_at > now() - interval '1 minute'
                 ORDER BY o.published_at DESC
                 LIMIT {most}
            )
            SELECT latest.stream,
                   count(*) / (SELECT CASE WHEN count(*) < {most} THEN 60
                                           ELSE greatest(extract(epoch FROM clock_timestamp() - min(all_streams.published_at)), 0.001) END
                                 FROM latest all_streams)::float8
              FROM latest
             GROUP BY latest.stream
            """.replace("{most}", Integer.toString(OutboxInspector.MOST_COUNTED));

    /** Reads outbox_claim whole: it has a row per batch. Leaves out claims of lanes. */
    static final String CLAIMS = """
            SELECT c.stream, c.worker, cardinality(c.event_ids), c.claimed_at, c.locked_until
              FROM {schema}.outbox_claim c
             WHERE c.event_ids <> '{}'
             ORDER BY c.id
             LIMIT 1000
            """;

    /** Relies on outbox_delivery_backlog: one look-up for each stream, status and handler that has deliveries, and the first rows of each. */
    static final String DELIVERIES = "WITH RECURSIVE "
            + LooseScan.ofDeliveries("backlog", "d.stream, d.status, d.handler_id")
            + """
            SELECT b.handler_id,
                   coalesce(sum(first.deliveries) FILTER (WHERE b.status = 'OPEN'), 0),
                   coalesce(sum(first.deliveries) FILTER (WHERE b.status <> 'OPEN'), 0),
                   coalesce({waiting}, 0)
              FROM backlog b
             CROSS JOIN LATERAL (SELECT count(*) AS deliveries, min(d.open_since) FILTER (WHERE d.replay_id IS NULL) AS since
                                   FROM (SELECT d.replay_id, d.open_since
                                           FROM {schema}.outbox_delivery d
                                          WHERE d.stream = b.stream
                                            AND d.status = b.status
                                            AND d.handler_id = b.handler_id
                                          LIMIT {most}) d) first
             GROUP BY b.handler_id
            """.replace(
                            "{waiting}",
                            MILLIS_SINCE.replace("{since}", "min(first.since) FILTER (WHERE b.status = 'OPEN')"))
                    .replace("{most}", Integer.toString(OutboxInspector.MOST_COUNTED_OF_HANDLER));

    /**
     * Relies on pg_class_relname_nsp_index. Reads catalogs and statistics only: the size of a file would wait for a transaction that rewrites the table.
     * An archive has its name and a column of its own, in any schema.
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
             WHERE c.relname IN ('outbox_unpublished', 'outbox_published', 'outbox_scheduled', 'outbox_delivery', 'outbox_aggregate',
                                 'outbox_received', 'outbox_operation', 'outbox_replay', 'processed_event', 'events')
               AND c.relkind = 'r'
               AND CASE WHEN c.relname = 'events'
                        THEN (SELECT a.attnum FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'outbox_event_id') > 0
                        ELSE c.relnamespace = to_regnamespace('{schema}') END
             ORDER BY bytes DESC, name
            """;

    private final DataSource dataSource;
    private final Pipeline overview;
    private final Pipeline unpolled;

    /** Creates a store that runs its statements after one that limits them. */
    StatusStore(DataSource dataSource, OutboxSchema schema, String limits) {
        this.dataSource = dataSource;
        this.overview = new Pipeline(
                schema,
                limits,
                CLOCK,
                COUNT,
                PAUSED_STREAMS,
                RATES,
                CLAIMS,
                DELIVERIES,
                HandlerStore.ALL,
                InstanceStore.LIST,
                TABLES);
        this.unpolled = new Pipeline(schema, limits, COUNT, InstanceStore.LIST);
    }

    /** Finds the streams that no running instance polls although events have waited there for longer than the given time, or are retried. */
    Set<String> unpolled(Duration time) throws SQLException {
        return unpolled.run(dataSource, (parameters) -> {}, (results) -> {
            Map<String, Backlog> waiting = counts(results);
            waiting.values()
                    .removeIf((backlog) -> backlog.retrying() == 0
                            && backlog.oldestPending().compareTo(time) <= 0
                            && backlog.overdue().compareTo(time) <= 0);
            results.list(InstanceStore.LIST, InstanceStore::read).stream()
                    .filter(InstanceStore.Listed::alive)
                    .forEach((listed) ->
                            waiting.keySet().removeAll(listed.instance().streams()));
            return waiting.keySet();
        });
    }

    /** Reads the state of every stream, handler and instance. */
    OutboxOverview overview() throws SQLException {
        return overview.run(dataSource, (parameters) -> {}, (results) -> {
            Instant at = results.row(CLOCK).getObject(1, OffsetDateTime.class).toInstant();
            Map<String, Backlog> counts = counts(results);
            Set<String> paused = paused(results);
            Map<String, Double> rates = results.map(RATES, (row) -> row.getDouble(2));
            Map<String, List<Claim>> claims = claims(results);
            Map<String, Deliveries> deliveries = results.map(
                    DELIVERIES, (row) -> deliveries(row.getLong(2), row.getLong(3), Duration.ofMillis(row.getLong(4))));
            KnownHandlers known = KnownHandlers.read(results);
            TreeSet<String> streams = new TreeSet<>(counts.keySet());
            streams.addAll(rates.keySet());
            return new OutboxOverview(
                    at,
                    streams.stream()
                            .map((name) -> new Stream(
                                    name,
                                    paused.contains(name),
                                    counts.getOrDefault(name, NO_EVENTS),
                                    rates.getOrDefault(name, 0.0),
                                    claims.getOrDefault(name, List.of())))
                            .toList(),
                    handlers(known, deliveries),
                    known.instances(),
                    results.list(
                            TABLES,
                            (row) -> new Table(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4))));
        });
    }

    private static List<Handler> handlers(KnownHandlers known, Map<String, Deliveries> byStoredId) {
        Map<String, Deliveries> deliveries = new HashMap<>();
        byStoredId.forEach((id, own) -> deliveries.merge(known.currentId(id), own, StatusStore::together));
        return known.current().stream()
                .map((handler) -> handler(handler, deliveries.getOrDefault(handler.id(), NO_DELIVERIES), known))
                .toList();
    }

    private static Deliveries together(Deliveries one, Deliveries other) {
        return deliveries(
                one.open() + other.open(),
                one.dead() + other.dead(),
                one.lag().compareTo(other.lag()) < 0 ? other.lag() : one.lag());
    }

    private static Deliveries deliveries(long open, long dead, Duration lag) {
        long most = OutboxInspector.MOST_COUNTED_OF_HANDLER;
        return new Deliveries(Math.min(open, most), Math.min(dead, most), lag, open < most && dead < most);
    }

    /** A handler that was paused before its first registration has no subscription. */
    private static Handler handler(RegisteredHandler handler, Deliveries deliveries, KnownHandlers known) {
        boolean registered = !handler.paused() || !handler.subscriptions().isEmpty();
        return new Handler(
                handler.id(),
                handler.subscriptions().stream()
                        .map(Subscription::toString)
                        .collect(Collectors.toCollection(TreeSet::new)),
                handler.paused(),
                registered ? handler.heartbeat().at() : null,
                deliveries,
                known.circuitOpenIn(handler.id()));
    }

    private static Map<String, Backlog> counts(Pipeline.Results results) throws SQLException {
        return results.map(
                COUNT,
                (row) -> new Backlog(
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        Duration.ofMillis(row.getLong(7)),
                        Duration.ofMillis(row.getLong(8)),
                        row.getLong(9),
                        Duration.ofMillis(row.getLong(10)),
                        row.getBoolean(11)));
    }

    /** Reads the rows of {@link #PAUSED_STREAMS}. */
    static Set<String> paused(Pipeline.Results results) throws SQLException {
        return Set.copyOf(results.list(PAUSED_STREAMS, (row) -> row.getString(1)));
    }

    private static Map<String, List<Claim>> claims(Pipeline.Results results) throws SQLException {
        return results
                .list(
                        CLAIMS,
                        (row) -> Map.entry(
                                row.getString(1),
                                new Claim(
                                        row.getString(2),
                                        row.getInt(3),
                                        row.getObject(4, OffsetDateTime.class).toInstant(),
                                        row.getObject(5, OffsetDateTime.class).toInstant())))
                .stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    }
}
