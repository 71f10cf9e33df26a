package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.fault.FaultPoint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Writes what came of attempted deliveries. Every write is fenced by the token of the claim. */
public final class DeliverySettlementStore {

    /**
     * Relies on outbox_delivery_pk. The deliveries of one kind that still belong to their worker: with its token, and in the incarnation
     * of the database in which it claimed them. Locks them in the order of settlements.
     */
    private static final String HELD = """
            WITH held AS (
                SELECT d.outbox_id, d.handler_id
                  FROM unnest(:outbox_ids::bigint[], :handler_ids::text[], :kinds::text[]) AS h (outbox_id, handler_id, kind)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = h.outbox_id AND d.handler_id = h.handler_id
                 WHERE h.kind = '{kind}'
                   AND d.lock_token = :token
                   AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
                 ORDER BY d.outbox_id, d.handler_id
                   FOR UPDATE OF d
            )
            """;

    /** Relies on outbox_delivery_pk. */
    private static final String REMOVE = held("SUCCEEDED") + """
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
    static final String RESCHEDULE = """
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
                  FROM unnest(:outbox_ids::bigint[], :handler_ids::text[], :kinds::text[], :delays::bigint[], :codes::text[],
                              :errors::text[])
                       AS r (outbox_id, handler_id, kind, delay, code, error)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = r.outbox_id AND d.handler_id = r.handler_id
                 WHERE r.kind IN ({kinds})
                   AND d.lock_token = :token
                   AND EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)
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
    private static final String RELEASE = held("UNTRIED") + """
            UPDATE {schema}.outbox_delivery d
               SET locked_by = NULL,
                   lock_token = NULL,
                   locked_until = NULL,
                   attempt_count = d.attempt_count - 1
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
            """;

    /**
     * Relies on outbox_delivery_pk and outbox_delivery_lane_head. What its worker attempts next stays ahead of what has come
     * into its lane before it meanwhile: a lane is one worker's until that has finished with it.
     */
    private static final String KEEP_HEAD = held("NEXT") + """
            UPDATE {schema}.outbox_delivery d
               SET status = 'DUE',
                   head = true,
                   next_retry_at = clock_timestamp()
              FROM held
             WHERE d.outbox_id = held.outbox_id
               AND d.handler_id = held.handler_id
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_delivery h
                                WHERE h.aggregate_type = d.aggregate_type
                                  AND h.aggregate_id = d.aggregate_id
                                  AND h.handler_id = d.handler_id
                                  AND h.head)
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
                REMOVE,
                RESCHEDULE.replace("{kinds}", "'DEAD'"),
                RESCHEDULE.replace("{kinds}", "'FAILED', 'DEFERRED', 'BLOCKED'"),
                RELEASE,
                KEEP_HEAD,
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
        List<DueDelivery> attempted = attempts.stream().map(Attempted::delivery).toList();
        List<DueDelivery> all =
                Stream.of(attempted, untried, next).flatMap(List::stream).toList();
        Stream<String> kinds = Stream.of(
                        attempts.stream().map((one) -> one.kind().name()),
                        untried.stream().map((one) -> "UNTRIED"),
                        next.stream().map((one) -> "NEXT"))
                .flatMap(Function.identity());
        return pipeline.run(
                dataSource,
                (parameters) -> DeliveryClaimStore.bindHeld(parameters, all)
                        .setLongs("events", attempted, (one) -> one.envelope().id())
                        .setTexts("lane_types", all, (one) -> one.envelope().aggregateType())
                        .setTexts("lane_ids", all, (one) -> one.envelope().aggregateId())
                        .setTexts("lane_handlers", all, DueDelivery::handlerId)
                        .set("kinds", kinds.toArray(String[]::new))
                        .setLongs("delays", attempts, (one) -> one.delay().toMillis())
                        .setTexts("codes", attempts, (one) -> Failure.codeOf(one.failure()))
                        .setTexts("errors", attempts, (one) -> Failure.messageOf(one.failure())),
                DeliverySettlementStore::readSettled);
    }

    private static String held(String kind) {
        return HELD.replace("{kind}", kind);
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
