package dev.outbox.internal.inspect;

import dev.outbox.internal.inspect.StatusStore.Registry;
import dev.outbox.internal.lane.DeliveryRow;
import dev.outbox.internal.lane.FailureHistory;
import dev.outbox.internal.registry.HandlerState;
import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.FailureGroup.FailedAttempt;
import dev.outbox.operations.LaneReport.Cause;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads the lanes of an aggregate, and what they can wait for. */
final class LaneStore {

    private static final String OF_AGGREGATE = "d.aggregate_type = :aggregate_type AND d.aggregate_id = :aggregate_id";

    /** Relies on outbox_lane_pk, outbox_delivery_lane and outbox_delivery_lane_dead. Reads no more than the first rows of a lane. */
    static final String LANES = "WITH RECURSIVE "
            + LooseScan.of("dead", "outbox_delivery", "d.handler_id", OF_AGGREGATE + " AND d.status = 'DEAD'")
            + """
            , lane AS (
                SELECT d.handler_id, d.first_seq,
                       CASE WHEN d.token IS NOT NULL AND d.due_at >= clock_timestamp() THEN 'RUNNING'
                            WHEN d.token IS NOT NULL THEN 'LEASE_EXPIRED'
                            WHEN d.due_at = 'infinity' THEN 'BLOCKED_BY_DEAD_LETTER'
                            WHEN d.due_at > clock_timestamp() THEN 'BACKING_OFF'
                            ELSE 'DUE' END AS cause
                  FROM {schema}.outbox_lane d
                 WHERE {of aggregate}
            )
            SELECT handler.handler_id, lane.cause,
                   (SELECT count(*)
                      FROM (SELECT d.status
                              FROM {schema}.outbox_delivery d
                             WHERE {of aggregate}
                               AND d.handler_id = handler.handler_id
                               AND d.status <> 'DEAD'
                               AND d.aggregate_seq > lane.first_seq
                             LIMIT {most}) d),
                   (SELECT count(*)
                      FROM (SELECT d.status
                              FROM {schema}.outbox_delivery d
                             WHERE {of aggregate}
                               AND d.handler_id = handler.handler_id
                               AND d.status = 'DEAD'
                             LIMIT {most}) d) + (lane.cause IS NOT DISTINCT FROM 'BLOCKED_BY_DEAD_LETTER')::integer
              FROM (SELECT lane.handler_id FROM lane UNION SELECT dead.handler_id FROM dead) handler
              LEFT JOIN lane ON lane.handler_id = handler.handler_id
             ORDER BY handler.handler_id
            """.replace("{of aggregate}", OF_AGGREGATE).replace("{most}", Integer.toString(StatusStore.MOST_COUNTED));

    /** Relies on outbox_lane_pk and outbox_delivery_lane: the first delivery of each lane. */
    static final String FIRST = DeliveryRow.select("""
            SELECT first.*
                      FROM {schema}.outbox_lane d
                     CROSS JOIN LATERAL (SELECT *
                                           FROM {schema}.outbox_delivery f
                                          WHERE f.aggregate_type = d.aggregate_type
                                            AND f.aggregate_id = d.aggregate_id
                                            AND f.handler_id = d.handler_id
                                            AND f.aggregate_seq = d.first_seq
                                            AND f.status <> 'DEAD'
                                          LIMIT 1) first
                     WHERE\s""" + OF_AGGREGATE, ", d.failures::text");

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
            SELECT CASE bool_or(c.locked_until >= clock_timestamp()) WHEN true THEN 'RUNNING' WHEN false THEN 'LEASE_EXPIRED' ELSE 'PENDING' END
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
                FIRST,
                LANES,
                PENDING,
                CLAIMED,
                StatusStore.PAUSED_STREAMS,
                HandlerState.LIST,
                InstanceStore.LIST);
    }

    /** Lanes of an aggregate, and what they can wait for. */
    public record Aggregate(List<Lane> lanes, Pending pending, Set<String> pausedStreams, Registry registry) {}

    /**
     * Lane of a handler, by the id that is stored with its deliveries: what its row says about it, and the first delivery. Both are
     * {@code null} if the lane has dead letters only.
     */
    public record Lane(
            String handlerId,
            @Nullable Cause cause,
            @Nullable First first,
            long waiting,
            long dead) {}

    /** First delivery of a lane, and its failed attempts. */
    public record First(Delivery delivery, List<FailedAttempt> failures) {}

    /** Events that await their first delivery, and what their claim says about them. */
    public record Pending(long events, @Nullable String stream, Cause cause) {}

    /** Reads the lanes. */
    public Aggregate read(String aggregateType, String aggregateId) throws SQLException {
        return read.run(
                dataSource,
                (parameters) -> parameters.set("aggregate_type", aggregateType).set("aggregate_id", aggregateId),
                (results) -> {
                    List<Lane> lanes = lanes(first(results.rows(FIRST)), results.rows(LANES));
                    ResultSet pending = results.rows(PENDING);
                    pending.next();
                    long events = pending.getLong(1);
                    String stream = pending.getString(2);
                    ResultSet claimed = results.rows(CLAIMED);
                    claimed.next();
                    Cause cause = Cause.valueOf(claimed.getString(1));
                    Set<String> paused = StatusStore.paused(results.rows(StatusStore.PAUSED_STREAMS));
                    return new Aggregate(lanes, new Pending(events, stream, cause), paused, Registry.read(results));
                });
    }

    private static Map<String, First> first(ResultSet row) throws SQLException {
        Map<String, First> first = new HashMap<>();
        while (row.next()) {
            Delivery delivery = DeliveryRow.read(row);
            List<FailedAttempt> failures = FailureHistory.read(row.getString(DeliveryRow.NEXT_COLUMN));
            first.put(delivery.handlerId(), new First(delivery, failures));
        }
        return first;
    }

    private static List<Lane> lanes(Map<String, First> first, ResultSet row) throws SQLException {
        List<Lane> lanes = new ArrayList<>();
        while (row.next()) {
            String handlerId = row.getString(1);
            String cause = row.getString(2);
            lanes.add(new Lane(
                    handlerId,
                    cause == null ? null : Cause.valueOf(cause),
                    first.get(handlerId),
                    row.getLong(3),
                    row.getLong(4)));
        }
        return lanes;
    }
}
