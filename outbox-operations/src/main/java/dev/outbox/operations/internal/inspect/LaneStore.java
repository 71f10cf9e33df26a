package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.internal.sql.LooseScan;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.LaneReport.Cause;
import dev.outbox.operations.LaneReport.Counts;
import dev.outbox.operations.LaneReport.Front;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads the lanes of an aggregate, and explains what they wait for. */
final class LaneStore {

    private static final String OF_AGGREGATE = "d.aggregate_type = :aggregate_type AND d.aggregate_id = :aggregate_id";

    /** Relies on outbox_lane_pk, outbox_claim_pk, outbox_delivery_lane and outbox_delivery_lane_dead. Reads no more than the first rows of a lane. */
    static final String LANES = "WITH RECURSIVE "
            + LooseScan.of("dead", "outbox_delivery", "d.handler_id", OF_AGGREGATE + " AND d.status = 'DEAD'")
            + """
            , lane AS (
                SELECT d.handler_id, d.first_seq,
                       CASE WHEN c.locked_until >= clock_timestamp() THEN 'RUNNING'
                            WHEN d.claim_id IS NOT NULL THEN 'LEASE_EXPIRED'
                            WHEN d.due_at = 'infinity' THEN 'BLOCKED_BY_DEAD_LETTER'
                            WHEN d.due_at > clock_timestamp() THEN 'BACKING_OFF'
                            ELSE 'DUE' END AS cause
                  FROM {schema}.outbox_lane d
                  LEFT JOIN LATERAL (SELECT c.locked_until FROM {schema}.outbox_claim c WHERE c.id = d.claim_id LIMIT 1) c ON true
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
            """.replace("{of aggregate}", OF_AGGREGATE).replace("{most}", Integer.toString(Count.MOST));

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
                     WHERE\s""" + OF_AGGREGATE);

    /** Relies on outbox_unpublished_aggregate and outbox_unpublished_pending. Reads the latest events of the aggregate, and what is before the first that waits. */
    static final String PENDING = """
            SELECT own.pending, own.events < {most}, own.stream,
                   (SELECT count(*)
                      FROM (SELECT o.id
                              FROM {schema}.outbox_unpublished o
                             WHERE (o.stream, o.id) >= (own.stream, 0)
                               AND (o.stream, o.id) < (own.stream, own.first)
                               AND o.dispatched_at IS NULL
                             ORDER BY o.stream, o.id
                             LIMIT {most}) o)
              FROM (SELECT count(*) FILTER (WHERE o.dispatched_at IS NULL) AS pending,
                           count(*) AS events,
                           (array_agg(o.stream ORDER BY o.aggregate_seq) FILTER (WHERE o.dispatched_at IS NULL))[1] AS stream,
                           (array_agg(o.id ORDER BY o.aggregate_seq) FILTER (WHERE o.dispatched_at IS NULL))[1] AS first
                      FROM (SELECT o.id, o.stream, o.aggregate_seq, o.dispatched_at
                              FROM {schema}.outbox_unpublished o
                             WHERE o.aggregate_type = :aggregate_type
                               AND o.aggregate_id = :aggregate_id
                             ORDER BY o.aggregate_seq DESC
                             LIMIT {most}) o) own
            """.replace("{most}", Integer.toString(Count.MOST));

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
                HandlerStore.ALL,
                InstanceRow.LIST);
    }

    /** Lane of a handler as its row and its deliveries show it; the cause is {@code null} if it has dead letters only. */
    private record Lane(String handlerId, @Nullable Cause cause, Count waiting, Count dead) {}

    /** Explains the lanes of an aggregate. */
    public List<LaneReport> read(String aggregateType, String aggregateId) throws SQLException {
        return read.run(
                dataSource,
                (parameters) -> parameters.set("aggregate_type", aggregateType).set("aggregate_id", aggregateId),
                (results) -> reports(aggregateType, aggregateId, results));
    }

    private static List<LaneReport> reports(String aggregateType, String aggregateId, Pipeline.Results results)
            throws SQLException {
        Map<String, Delivery> heads = results.list(FIRST, DeliveryRow::read).stream()
                .collect(Collectors.toMap(Delivery::handlerId, Function.identity()));
        List<Lane> lanes = results.list(LANES, LaneStore::lane);
        ResultSet counted = results.row(PENDING);
        Count pending = new Count(counted.getLong(1), counted.getBoolean(2));
        String pendingIn = counted.getString(3);
        Count older = Count.upTo(counted.getLong(4), Count.MOST);
        Cause claim = Cause.valueOf(results.row(CLAIMED).getString(1));
        Set<String> paused = StatusStore.paused(results).keySet();
        ListedHandlers handlers = ListedHandlers.read(results);
        if (lanes.isEmpty() && pending.value() > 0) {
            Cause cause = cause(claim, hindrances(pendingIn, paused));
            return List.of(new LaneReport(
                    null,
                    aggregateType,
                    aggregateId,
                    cause,
                    null,
                    new Counts(Count.NONE, Count.NONE, pending),
                    front(cause, older, pendingIn, aggregateType, aggregateId, handlers)));
        }
        List<LaneReport> reports = new ArrayList<>();
        for (Lane lane : lanes) {
            Delivery head = heads.get(lane.handlerId());
            String stream = head == null ? pendingIn : head.event().stream();
            Set<Cause> hindrances = hindrances(stream, paused);
            hindrances.addAll(hindrances(handlers, lane.handlerId()));
            // What the row of the lane says or, without one, the claim of the aggregate.
            Cause own = lane.cause() != null ? lane.cause() : pending.value() > 0 ? claim : Cause.DEAD_LETTERS_ONLY;
            Cause cause = cause(own, hindrances);
            reports.add(new LaneReport(
                    lane.handlerId(),
                    aggregateType,
                    aggregateId,
                    cause,
                    head,
                    new Counts(lane.waiting(), lane.dead(), pending),
                    front(cause, older, stream, aggregateType, aggregateId, handlers)));
        }
        return reports;
    }

    /** Only what a worker would attempt now waits for a call. */
    private static Front front(
            Cause cause,
            Count older,
            @Nullable String stream,
            String aggregateType,
            String aggregateId,
            ListedHandlers handlers) {
        boolean waits = cause == Cause.PENDING || cause == Cause.DUE || cause == Cause.RUNNING;
        return waits && stream != null
                ? handlers.front(cause == Cause.PENDING ? older : Count.NONE, stream, aggregateType, aggregateId)
                : Front.NONE;
    }

    private static Lane lane(ResultSet row) throws SQLException {
        String cause = row.getString(2);
        return new Lane(
                row.getString(1),
                cause == null ? null : Cause.valueOf(cause),
                Count.upTo(row.getLong(3), Count.MOST),
                Count.upTo(row.getLong(4), Count.MOST));
    }

    private static Set<Cause> hindrances(@Nullable String stream, Set<String> paused) {
        return stream != null && paused.contains(stream)
                ? EnumSet.of(Cause.STREAM_PAUSED)
                : EnumSet.noneOf(Cause.class);
    }

    private static Set<Cause> hindrances(ListedHandlers handlers, String handlerId) {
        RegisteredHandler handler = handlers.known().find(handlerId);
        if (handler == null) {
            return EnumSet.of(Cause.HANDLER_ABSENT);
        }
        Set<Cause> found = EnumSet.noneOf(Cause.class);
        if (handler.paused()) {
            found.add(Cause.HANDLER_PAUSED);
        }
        if (!handler.isPresent()) {
            found.add(Cause.HANDLER_ABSENT);
        }
        if (!handlers.circuitOpenIn(handler.id()).isEmpty()) {
            found.add(Cause.CIRCUIT_OPEN);
        }
        return found;
    }

    /** Returns the first that applies: the constants are in that order. Nothing hinders a lane that does not wait. */
    static Cause cause(Cause own, Set<Cause> hindrances) {
        Set<Cause> all = EnumSet.of(own);
        if (own != Cause.DEAD_LETTERS_ONLY) {
            all.addAll(hindrances);
        }
        return all.iterator().next();
    }
}
