package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.delivery.Fence;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.fault.FaultPoint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Writes what came of attempted deliveries. Every write is fenced by the token of the claim. */
public final class DeliverySettlementStore {

    /** Relies on outbox_delivery_pk. */
    static final String REMOVE_SUCCEEDED = DeliveryClaimStore.HELD + """
            DELETE FROM {schema}.outbox_delivery d
             USING held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            RETURNING d.outbox_id, d.handler_id
            """;

    /**
     * Relies on outbox_delivery_pk, outbox_delivery_lane_head, outbox_delivery_lane_waiting and outbox_unpublished_pk. Runs once
     * for the dead that let their lane pass, and then once for the others: a lane must have lost its old head before it gets a
     * new one. A delivery whose lane has another head by now, or something to do before it, waits for its turn, and keeps its time.
     */
    static final String KEEP_FAILED = """
            WITH outcome AS (
                SELECT d.outbox_id, d.handler_id, r.kind, r.delay, r.code, r.error,
                       r.kind <> 'DEAD'
                       AND (EXISTS (SELECT
                                      FROM {schema}.outbox_delivery h
                                     WHERE h.aggregate_type = d.aggregate_type
                                       AND h.aggregate_id = d.aggregate_id
                                       AND h.handler_id = d.handler_id
                                       AND h.outbox_id <> d.outbox_id
                                       AND h.head)
                            OR coalesce((SELECT w.aggregate_seq
                                           FROM {schema}.outbox_delivery w
                                          WHERE w.aggregate_type = d.aggregate_type
                                            AND w.aggregate_id = d.aggregate_id
                                            AND w.handler_id = d.handler_id
                                            AND w.status = 'WAITING'
                                          ORDER BY w.aggregate_seq
                                          LIMIT 1) < d.aggregate_seq, false)) AS waits
                  FROM unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[])
                       AS r (outbox_id, handler_id, kind, delay, code, error)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = r.outbox_id AND d.handler_id = r.handler_id
                 WHERE d.lock_token = ?
                   AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = ?)
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d
            ), failed AS (
                UPDATE {schema}.outbox_delivery d
                   SET status = CASE WHEN outcome.waits THEN 'WAITING'
                                     WHEN outcome.kind IN ('DEAD', 'BLOCKED') THEN 'DEAD'
                                     ELSE 'DUE' END,
                       head = outcome.kind <> 'DEAD' AND NOT outcome.waits,
                       next_retry_at = CASE WHEN outcome.kind IN ('FAILED', 'DEFERRED')
                                            THEN clock_timestamp() + outcome.delay * interval '1 millisecond' END,
                       retry_count = d.retry_count + (outcome.kind <> 'DEFERRED')::integer,
                       locked_by = NULL,
                       lock_token = NULL,
                       locked_until = NULL,
                       last_error_code = outcome.code,
                       last_error = outcome.error
                  FROM outcome
                 WHERE d.outbox_id = outcome.outbox_id
                   AND d.handler_id = outcome.handler_id
                RETURNING d.outbox_id, d.handler_id, d.last_error_code, d.last_error,
                          (outcome.kind <> 'DEFERRED')::integer AS failures
            ), pass AS (
                SELECT outbox_id, max(failures) AS failures, max(last_error_code) AS code, max(last_error) AS error
                  FROM failed
                 GROUP BY outbox_id
            ), event AS (
                UPDATE {schema}.outbox_unpublished o
                   SET attempt_count = o.attempt_count + 1,
                       retry_count = o.retry_count + pass.failures,
                       last_attempt_at = clock_timestamp(),
                       last_error_code = pass.code,
                       last_error = pass.error
                  FROM pass
                 WHERE o.id = pass.outbox_id
                   AND o.id = ANY (ARRAY(SELECT pass.outbox_id FROM pass))
            )
            SELECT outbox_id, handler_id
              FROM failed
            """;

    /** Relies on outbox_delivery_pk. What was not attempted is as it was before it was claimed. */
    private static final String RELEASE = DeliveryClaimStore.HELD + """
            UPDATE {schema}.outbox_delivery d
               SET locked_by = NULL,
                   lock_token = NULL,
                   locked_until = NULL,
                   attempt_count = d.attempt_count - 1
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration SHORT_WAIT = Duration.ofMillis(20);
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final DataSource dataSource;
    private final Pipeline settle;
    private final Pipeline settleQuickly;

    /** Creates a store. */
    public DeliverySettlementStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.settle = pipeline(schema, LONGEST_WAIT);
        this.settleQuickly = pipeline(schema, SHORT_WAIT);
    }

    private static Pipeline pipeline(OutboxSchema schema, Duration lockTimeout) {
        return new Pipeline(
                schema,
                lockTimeout,
                LaneSql.LOCK_EVENTS,
                LaneSql.LOCK_LANES,
                REMOVE_SUCCEEDED,
                KEEP_FAILED,
                KEEP_FAILED,
                RELEASE,
                LaneSql.KEEP_HEAD,
                LaneSql.PROMOTE,
                LaneSql.COMPLETE);
    }

    /** What came of an attempt. */
    public record Attempted(
            DueDelivery delivery,
            Kind kind,
            Duration delay,
            @Nullable Failure failure) {

        /** What came of an attempt. */
        public enum Kind {
            /** The handler returned. */
            SUCCEEDED,
            /** The handler failed and is to be tried again. */
            FAILED,
            /** The handler could not do its work, for which the event is not to blame: as failed, but not counted. */
            DEFERRED,
            /** The handler failed and is not to be tried again; its lane goes on. */
            DEAD,
            /** The handler failed and is not to be tried again; its lane waits for an operator. */
            BLOCKED
        }
    }

    /** What a settlement did. */
    public record Settled(Set<DeliveryKey> written, Set<DeliveryKey> leftOver, List<Integer> retriesOfCompleted) {}

    /**
     * Writes outcomes, gives back what was not attempted, lets the next of each lane come up, and completes the events that have
     * nothing left to try, in one transaction and one round trip. If somebody else holds a row of theirs locked for a second,
     * writes the others.
     */
    public Settled settle(List<Attempted> attempts, List<DueDelivery> untried, List<DueDelivery> next)
            throws SQLException {
        try {
            return run(settle, attempts, untried, next);
        } catch (SQLException ex) {
            if (isLocked(ex)) {
                return settleUnlocked(attempts, untried);
            }
            throw ex;
        }
    }

    /** As {@link #settle(List, List, List)}, where nothing is attempted next. */
    public Settled settle(List<Attempted> attempts, List<DueDelivery> untried) throws SQLException {
        return settle(attempts, untried, List.of());
    }

    /**
     * Writes the outcomes of those deliveries that no other session holds locked, one after the other. An outcome that PostgreSQL
     * refuses becomes a dead letter.
     */
    public Settled settleUnlocked(List<Attempted> attempts, List<DueDelivery> untried) throws SQLException {
        LockedDeliveries contended = new LockedDeliveries();
        for (Attempted attempt : attempts) {
            contended.settle(
                    attempt.delivery(), () -> settleOne(attempt), (failure) -> () -> settleOne(dead(attempt, failure)));
            FaultPoint.BETWEEN_REDELIVERY_SETTLES.reached();
        }
        for (DueDelivery delivery : untried) {
            contended.settle(delivery, () -> run(settleQuickly, List.of(), List.of(delivery), List.of()));
        }
        return contended.settled();
    }

    private Settled settleOne(Attempted attempt) throws SQLException {
        return run(settleQuickly, List.of(attempt), List.of(), List.of());
    }

    private static Attempted dead(Attempted attempt, Failure failure) {
        return new Attempted(attempt.delivery(), Attempted.Kind.DEAD, Duration.ZERO, failure);
    }

    static boolean isLocked(SQLException ex) {
        return LOCK_NOT_AVAILABLE.equals(ex.getSQLState());
    }

    private Settled run(Pipeline pipeline, List<Attempted> attempts, List<DueDelivery> untried, List<DueDelivery> next)
            throws SQLException {
        List<DueDelivery> deliveries = deliveries(attempts);
        List<DueDelivery> all =
                Stream.concat(deliveries.stream(), untried.stream()).toList();
        return pipeline.run(
                dataSource,
                (parameters) -> {
                    long[] ids = SettlementStore.longs(
                            deliveries, (one) -> one.envelope().id());
                    bindLanes(parameters.add((Object) ids), all);
                    List<Attempted> succeeded = ofKinds(Set.of(Attempted.Kind.SUCCEEDED), attempts);
                    DeliveryClaimStore.bindHeld(parameters, deliveries(succeeded));
                    bindFailed(parameters, ofKinds(Set.of(Attempted.Kind.DEAD), attempts));
                    bindFailed(
                            parameters,
                            ofKinds(
                                    Set.of(Attempted.Kind.FAILED, Attempted.Kind.DEFERRED, Attempted.Kind.BLOCKED),
                                    attempts));
                    DeliveryClaimStore.bindHeld(parameters, untried);
                    DeliveryClaimStore.bindHeld(parameters, next);
                    bindLanes(parameters, deliveries).add((Object) ids);
                },
                DeliverySettlementStore::readSettled);
    }

    private static NamedSql.Parameters bindLanes(NamedSql.Parameters parameters, List<DueDelivery> deliveries)
            throws SQLException {
        return parameters.add(
                SettlementStore.texts(deliveries, (one) -> one.envelope().aggregateType()),
                SettlementStore.texts(deliveries, (one) -> one.envelope().aggregateId()),
                SettlementStore.texts(deliveries, DueDelivery::handlerId));
    }

    private static void bindFailed(NamedSql.Parameters parameters, List<Attempted> failed) throws SQLException {
        List<DueDelivery> deliveries = deliveries(failed);
        Fence fence = DeliveryClaimStore.fenceOf(deliveries);
        parameters
                .add(
                        SettlementStore.longs(
                                deliveries, (one) -> one.envelope().id()),
                        SettlementStore.texts(deliveries, DueDelivery::handlerId))
                .add((Object) SettlementStore.texts(failed, (one) -> one.kind().name()))
                .add((Object) SettlementStore.longs(failed, (one) -> one.delay().toMillis()))
                .add(
                        SettlementStore.texts(failed, (one) -> SettlementStore.code(one.failure())),
                        SettlementStore.texts(failed, (one) -> SettlementStore.message(one.failure())))
                .add(fence.token(), fence.incarnation());
    }

    private static List<DueDelivery> deliveries(List<Attempted> attempts) {
        return attempts.stream().map(Attempted::delivery).toList();
    }

    private static List<Attempted> ofKinds(Set<Attempted.Kind> kinds, List<Attempted> attempts) {
        return attempts.stream().filter((one) -> kinds.contains(one.kind())).toList();
    }

    private static Settled readSettled(Pipeline.Results results) throws SQLException {
        results.skip(2);
        Set<DeliveryKey> written = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            ResultSet row = results.rows();
            while (row.next()) {
                written.add(new DeliveryKey(row.getLong(1), row.getString(2)));
            }
        }
        results.skip(3);
        List<Integer> retries = new ArrayList<>();
        ResultSet done = results.rows();
        while (done.next()) {
            retries.add(done.getInt(2));
        }
        return new Settled(written, Set.of(), retries);
    }
}
