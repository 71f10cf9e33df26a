package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.gauges.QueueState;
import dev.outbox.internal.gauges.QueueStateStore;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
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
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads an overview: what waits, and who works on it. */
final class StatusStore {

    private static final String CLOCK = "SELECT clock_timestamp()";

    /** Reads outbox_stream whole: it has a row per stream. */
    static final String PAUSED_STREAMS =
            "SELECT s.stream, s.paused_until FROM {schema}.outbox_stream s WHERE s.paused_until > now()";

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
            """.replace("{most}", Integer.toString(Count.MOST));

    /** Reads outbox_claim whole: it has a row per batch. Leaves out claims of lanes. */
    static final String CLAIMS = """
            SELECT c.stream, c.worker, cardinality(c.event_ids), c.claimed_at, c.locked_until
              FROM {schema}.outbox_claim c
             WHERE c.event_ids <> '{}'
             ORDER BY c.id
             LIMIT 1000
            """;

    private final DataSource dataSource;
    private final QueueStateStore queues;
    private final Pipeline overview;

    StatusStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.queues = new QueueStateStore(dataSource, schema, Pipeline.INSPECT);
        this.overview = new Pipeline(
                schema, Pipeline.INSPECT, CLOCK, PAUSED_STREAMS, RATES, CLAIMS, HandlerStore.ALL, InstanceRow.LIST);
    }

    /** Reads the state of every stream, handler and instance. */
    OutboxOverview overview() throws SQLException {
        QueueState queue = queues.read();
        return overview.run(dataSource, (parameters) -> {}, (results) -> {
            Instant at = results.row(CLOCK).getObject(1, OffsetDateTime.class).toInstant();
            Map<String, Instant> paused = paused(results);
            Map<String, Double> rates = results.map(RATES, (row) -> row.getDouble(2));
            Map<String, List<Claim>> claims = claims(results);
            ListedHandlers handlers = ListedHandlers.read(results);
            TreeSet<String> streams = new TreeSet<>(queue.streams().keySet());
            streams.addAll(rates.keySet());
            return new OutboxOverview(
                    at,
                    streams.stream()
                            .map((name) -> new Stream(
                                    name,
                                    paused.containsKey(name),
                                    end(paused.get(name)),
                                    backlog(queue.stream(name)),
                                    rates.getOrDefault(name, 0.0),
                                    claims.getOrDefault(name, List.of())))
                            .toList(),
                    handlers.known().current().stream()
                            .map((handler) -> handler(handler, queue.handlers().get(handler.id()), handlers))
                            .toList(),
                    handlers.instances(),
                    queue.tables().stream()
                            .map((table) -> new Table(table.name(), table.rows(), table.bytes(), table.rowsPerDay()))
                            .toList());
        });
    }

    private static Backlog backlog(QueueState.Stream counts) {
        return new Backlog(
                DeliveryRow.count(counts.pending()),
                DeliveryRow.count(counts.processing()),
                DeliveryRow.count(counts.retrying()),
                DeliveryRow.count(counts.dead()),
                DeliveryRow.count(counts.blockedLanes()),
                counts.oldestPending(),
                counts.oldestRetrying(),
                DeliveryRow.count(counts.scheduled()),
                counts.overdue());
    }

    private static Deliveries deliveries(QueueState.@Nullable Handler counts) {
        return counts == null
                ? new Deliveries(Count.NONE, Count.NONE, Duration.ZERO)
                : new Deliveries(DeliveryRow.count(counts.open()), DeliveryRow.count(counts.dead()), counts.lag());
    }

    /** A handler that was paused before its first registration has no subscription. */
    private static Handler handler(
            RegisteredHandler handler, QueueState.@Nullable Handler counts, ListedHandlers handlers) {
        boolean registered = !handler.paused() || !handler.subscriptions().isEmpty();
        return new Handler(
                handler.id(),
                handler.subscriptions().stream()
                        .map(Subscription::toString)
                        .collect(Collectors.toCollection(TreeSet::new)),
                handler.paused(),
                end(handler.pausedUntil()),
                registered ? handler.heartbeat().at() : null,
                deliveries(counts),
                handlers.circuitOpenIn(handler.id()),
                handlers.runTimes(handler.id()));
    }

    private static @Nullable Instant end(@Nullable Instant pausedUntil) {
        return RegisteredHandler.RESUMED.equals(pausedUntil) ? null : pausedUntil;
    }

    /** Reads the rows of {@link #PAUSED_STREAMS}. */
    static Map<String, Instant> paused(Pipeline.Results results) throws SQLException {
        return results.map(
                PAUSED_STREAMS, (row) -> row.getObject(2, OffsetDateTime.class).toInstant());
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
