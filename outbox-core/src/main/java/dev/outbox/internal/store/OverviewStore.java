package dev.outbox.internal.store;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview.Claim;
import dev.outbox.operations.OutboxOverview.Deliveries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** Reads what {@link StatusStore} does not count: rates, claims, handlers with their deliveries, and instances. */
public final class OverviewStore {

    /** Deliveries of a handler and status that are counted and looked at for the oldest. */
    private static final int MOST_READ = OutboxInspector.MOST_COUNTED_OF_HANDLER;

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
            """.replace("{most}", Integer.toString(StatusStore.MOST_COUNTED));

    /** Reads outbox_claim whole: it has a row per batch. */
    static final String CLAIMS = """
            SELECT c.stream, c.worker, cardinality(c.event_ids), c.claimed_at, c.locked_until
              FROM {schema}.outbox_claim c
             ORDER BY c.id
             LIMIT 1000
            """;

    /**
     * Relies on outbox_delivery_backlog: one look-up for each stream, status and handler that has deliveries, and the first rows of each.
     * Looks up the oldest event that is not replayed through outbox_unpublished_pk.
     */
    static final String DELIVERIES = """
            WITH RECURSIVE backlog AS (
                (SELECT d.stream, d.status, d.handler_id
                   FROM {schema}.outbox_delivery d
                  ORDER BY d.stream, d.status, d.handler_id
                  LIMIT 1)
                 UNION ALL
                SELECT next.stream, next.status, next.handler_id
                  FROM backlog b
                 CROSS JOIN LATERAL (SELECT d.stream, d.status, d.handler_id
                                       FROM {schema}.outbox_delivery d
                                      WHERE (d.stream, d.status, d.handler_id) > (b.stream, b.status, b.handler_id)
                                      ORDER BY d.stream, d.status, d.handler_id
                                      LIMIT 1) next
            )
            SELECT handler.id, due.deliveries, waiting.deliveries, dead.deliveries,
                   coalesce((SELECT ceil(extract(epoch FROM clock_timestamp() - greatest(least(o.occurred_at, '10000-01-01'), '0001-01-01'))
                                          * 1000)::bigint
                               FROM {schema}.outbox_unpublished o
                              WHERE o.id = open.oldest
                              LIMIT 1), 0)
              FROM (SELECT DISTINCT b.handler_id AS id FROM backlog b) handler
             CROSS JOIN LATERAL (SELECT count(*) AS deliveries FROM ({due}) d) due
             CROSS JOIN LATERAL (SELECT count(*) AS deliveries FROM ({waiting}) d) waiting
             CROSS JOIN LATERAL (SELECT min(d.outbox_id) FILTER (WHERE d.replay_id IS NULL) AS oldest
                                   FROM (({first due}) UNION ALL ({first waiting})) d) open
             CROSS JOIN LATERAL (SELECT count(*) AS deliveries
                                   FROM ({dead}) d) dead
            """.replace("{due}", first("d.status", "DUE", MOST_READ))
            .replace("{waiting}", first("d.status", "WAITING", MOST_READ))
            .replace("{dead}", first("d.status", "DEAD", MOST_READ))
            .replace("{first due}", first("d.outbox_id, d.replay_id", "DUE", MOST_READ))
            .replace("{first waiting}", first("d.outbox_id, d.replay_id", "WAITING", MOST_READ));

    private final DataSource dataSource;
    private final Pipeline read;

    public OverviewStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.read = new Pipeline(
                schema,
                Pipeline.INSPECT,
                CLOCK,
                PAUSED_STREAMS,
                RATES,
                CLAIMS,
                HandlerState.LIST,
                DELIVERIES,
                InstanceStore.LIST);
    }

    private static String first(String columns, String status, int most) {
        return """
                SELECT {columns}
                                           FROM backlog b
                                          CROSS JOIN LATERAL (SELECT {columns}
                                                                FROM {schema}.outbox_delivery d
                                                               WHERE d.stream = b.stream
                                                                 AND d.status = b.status
                                                                 AND d.handler_id = b.handler_id
                                                               LIMIT {most}) d
                                          WHERE b.handler_id = handler.id
                                            AND b.status = '{status}'
                                          LIMIT {most}""".replace("{columns}", columns).replace("{status}", status).replace("{most}", Integer.toString(most));
    }

    /** State at a moment: of streams and handlers by their names, handlers by the ids that are stored with their deliveries. */
    public record Snapshot(Instant at, Streams streams, Registry registry, Map<String, Deliveries> deliveries) {}

    /** Paused streams, and the events per second and claims of those that have any. */
    public record Streams(Set<String> paused, Map<String, Double> rates, Map<String, List<Claim>> claims) {}

    /** Registered handlers and the instances that poll. */
    public record Registry(List<HandlerState> handlers, List<InstanceStore.Listed> instances) {}

    /** Reads the state. */
    public Snapshot read() throws SQLException {
        return read.run(dataSource, (parameters) -> {}, (results) -> {
            results.skip(1);
            ResultSet clock = results.rows();
            clock.next();
            Instant at = clock.getObject(1, OffsetDateTime.class).toInstant();
            Streams streams = new Streams(paused(results.rows()), rates(results.rows()), claims(results.rows()));
            List<HandlerState> handlers = HandlerState.read(results.rows());
            Map<String, Deliveries> deliveries = deliveries(results.rows());
            return new Snapshot(at, streams, new Registry(handlers, InstanceStore.read(results.rows())), deliveries);
        });
    }

    /** Reads the rows of {@link #PAUSED_STREAMS}. */
    static Set<String> paused(ResultSet row) throws SQLException {
        Set<String> paused = new HashSet<>();
        while (row.next()) {
            paused.add(row.getString(1));
        }
        return paused;
    }

    private static Map<String, Double> rates(ResultSet row) throws SQLException {
        Map<String, Double> rates = new HashMap<>();
        while (row.next()) {
            rates.put(row.getString(1), row.getDouble(2));
        }
        return rates;
    }

    private static Map<String, List<Claim>> claims(ResultSet row) throws SQLException {
        Map<String, List<Claim>> claims = new HashMap<>();
        while (row.next()) {
            claims.computeIfAbsent(row.getString(1), (stream) -> new ArrayList<>())
                    .add(new Claim(
                            row.getString(2),
                            row.getInt(3),
                            row.getObject(4, OffsetDateTime.class).toInstant(),
                            row.getObject(5, OffsetDateTime.class).toInstant()));
        }
        return claims;
    }

    private static Map<String, Deliveries> deliveries(ResultSet row) throws SQLException {
        Map<String, Deliveries> deliveries = new HashMap<>();
        while (row.next()) {
            deliveries.put(
                    row.getString(1),
                    new Deliveries(row.getLong(2), row.getLong(3), row.getLong(4), Duration.ofMillis(row.getLong(5))));
        }
        return deliveries;
    }
}
