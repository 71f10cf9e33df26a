package dev.outbox.internal.store;

import dev.outbox.internal.store.OverviewStore.Registry;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.FailureGroup.FailedAttempt;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads the lanes of an aggregate, and what they can wait for. */
public final class LaneStore {

    /**
     * Relies on outbox_delivery_lane_head, outbox_delivery_lane_waiting and outbox_delivery_lane_dead, with one look-up for each handler, and
     * on the primary keys of both partitions. Reads no more than the first rows of a lane.
     */
    static final String LANES = """
            WITH RECURSIVE waiting AS (
                {first 'WAITING'}
                 UNION ALL
                {next waiting 'WAITING'}
            ), dead AS (
                {first 'DEAD'}
                 UNION ALL
                {next dead 'DEAD'}
            ), lane AS (
                SELECT d.handler_id AS handler
                  FROM {schema}.outbox_delivery d
                 WHERE d.aggregate_type = :aggregate_type
                   AND d.aggregate_id = :aggregate_id
                   AND d.head
                 UNION
                SELECT waiting.handler FROM waiting
                 UNION
                SELECT dead.handler FROM dead
            )
            SELECT {delivery},
                   lane.handler,
                   (SELECT count(*) FROM (SELECT d.status {lane 'WAITING'} LIMIT {most}) d),
                   (SELECT count(*) FROM (SELECT d.status {lane 'DEAD'} LIMIT {most}) d),
                   d.failures::text,
                   d.locked_until >= clock_timestamp(),
                   coalesce(d.next_retry_at > clock_timestamp(), false)
              FROM lane
              LEFT JOIN LATERAL (SELECT d.outbox_id, d.handler_id, d.status, d.head, d.replay_id, d.created_at, d.next_retry_at,
                                        d.attempt_count, d.retry_count, d.crash_count, d.last_attempt_at, d.last_error_code,
                                        d.last_error, d.locked_by, d.locked_until, d.failures
                                   FROM {schema}.outbox_delivery d
                                  WHERE d.aggregate_type = :aggregate_type
                                    AND d.aggregate_id = :aggregate_id
                                    AND d.handler_id = lane.handler
                                    AND d.head
                                  LIMIT 1) d ON true
              LEFT JOIN LATERAL (SELECT {event}
                                   FROM {schema}.outbox o
                                  WHERE o.id = d.outbox_id
                                  LIMIT 1) o ON true
             ORDER BY lane.handler
            """.replace("{first 'WAITING'}", first("WAITING"))
            .replace("{next waiting 'WAITING'}", next("waiting", "WAITING"))
            .replace("{first 'DEAD'}", first("DEAD"))
            .replace("{next dead 'DEAD'}", next("dead", "DEAD"))
            .replace("{lane 'WAITING'}", lane("WAITING") + " AND d.handler_id = lane.handler")
            .replace("{lane 'DEAD'}", lane("DEAD") + " AND d.handler_id = lane.handler")
            .replace("{delivery}", DeliveryRow.COLUMNS)
            .replace("{event}", DeliveryRow.EVENT_COLUMNS)
            .replace("{most}", Integer.toString(StatusStore.MOST_COUNTED));

    /** Relies on outbox_unpublished_aggregate, and reads the latest events of the aggregate only. */
    static final String PENDING = """
            SELECT count(*), (array_agg(o.stream ORDER BY o.aggregate_seq))[1]
              FROM (SELECT o.stream, o.aggregate_seq, o.dispatched_at
                      FROM {schema}.outbox_unpublished o
                     WHERE o.aggregate_type = :aggregate_type
                       AND o.aggregate_id = :aggregate_id
                     ORDER BY o.aggregate_seq DESC
                     LIMIT {most}) o
             WHERE o.dispatched_at IS NULL
            """.replace("{most}", Integer.toString(StatusStore.MOST_COUNTED));

    /** Reads outbox_claim whole: it has a row per batch. */
    static final String CLAIMED = """
            SELECT bool_or(c.locked_until >= clock_timestamp())
              FROM {schema}.outbox_claim c
             WHERE {schema}.outbox_aggregate_hash(:aggregate_type, :aggregate_id) = ANY (c.aggregates)
            """;

    private final DataSource dataSource;
    private final Pipeline read;

    public LaneStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.read = new Pipeline(
                schema,
                Pipeline.INSPECT,
                LANES,
                PENDING,
                CLAIMED,
                OverviewStore.PAUSED_STREAMS,
                HandlerState.LIST,
                InstanceStore.LIST);
    }

    private static String lane(String status) {
        return """
                FROM {schema}.outbox_delivery d
                                  WHERE d.aggregate_type = :aggregate_type
                                    AND d.aggregate_id = :aggregate_id
                                    AND d.status = '{status}'""".replace("{status}", status);
    }

    private static String first(String status) {
        return "(SELECT d.handler_id AS handler " + lane(status) + " ORDER BY d.handler_id LIMIT 1)";
    }

    private static String next(String found, String status) {
        return "SELECT next.handler_id FROM " + found + " CROSS JOIN LATERAL (SELECT d.handler_id " + lane(status)
                + " AND d.handler_id > " + found + ".handler ORDER BY d.handler_id LIMIT 1) next";
    }

    /** Lanes of an aggregate, and what they can wait for. */
    public record Aggregate(List<Lane> lanes, Pending pending, Set<String> pausedStreams, Registry registry) {}

    /** Lane of a handler. The id is the one that is stored with its deliveries. */
    public record Lane(
            String handlerId,
            long waiting,
            long dead,
            @Nullable Head head) {}

    /** Head of a lane. Whether its lease is live is {@code null} if no worker holds it. */
    public record Head(
            Delivery delivery,
            List<FailedAttempt> failures,
            @Nullable Boolean leaseIsLive,
            boolean backsOff) {}

    /** Events that await their first delivery. Whether their claim is live is {@code null} if no worker claimed them. */
    public record Pending(
            long events, @Nullable String stream, @Nullable Boolean claimIsLive) {}

    /** Reads the lanes. */
    public Aggregate read(String aggregateType, String aggregateId) throws SQLException {
        return read.run(
                dataSource,
                (parameters) -> parameters.set("aggregate_type", aggregateType).set("aggregate_id", aggregateId),
                (results) -> {
                    results.skip(1);
                    List<Lane> lanes = lanes(results.rows());
                    ResultSet pending = results.rows();
                    pending.next();
                    long events = pending.getLong(1);
                    String stream = pending.getString(2);
                    ResultSet claimed = results.rows();
                    claimed.next();
                    Boolean live = claimed.getObject(1, Boolean.class);
                    Set<String> paused = OverviewStore.paused(results.rows());
                    List<HandlerState> handlers = HandlerState.read(results.rows());
                    return new Aggregate(
                            lanes,
                            new Pending(events, stream, live),
                            paused,
                            new Registry(handlers, InstanceStore.read(results.rows())));
                });
    }

    private static List<Lane> lanes(ResultSet row) throws SQLException {
        List<Lane> lanes = new ArrayList<>();
        while (row.next()) {
            lanes.add(new Lane(
                    row.getString(DeliveryRow.NEXT_COLUMN),
                    row.getLong(DeliveryRow.NEXT_COLUMN + 1),
                    row.getLong(DeliveryRow.NEXT_COLUMN + 2),
                    head(row)));
        }
        return lanes;
    }

    private static @Nullable Head head(ResultSet row) throws SQLException {
        if (row.getString(1) == null) {
            return null;
        }
        return new Head(
                DeliveryRow.read(row),
                FailureHistory.read(row.getString(DeliveryRow.NEXT_COLUMN + 3)),
                row.getObject(DeliveryRow.NEXT_COLUMN + 4, Boolean.class),
                row.getBoolean(DeliveryRow.NEXT_COLUMN + 5));
    }
}
