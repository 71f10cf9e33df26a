package dev.outbox.internal.store;

import dev.outbox.internal.delivery.ClaimKey;
import dev.outbox.internal.delivery.Parked;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.fault.FaultPoint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Writes the outcomes of claimed events: into history, or into the repair lanes. Every write is fenced by the claim. */
public final class SettlementStore {

    /** Relies on outbox_claim_pk. */
    static final String LOCK_CLAIM = """
            SELECT c.id
              FROM {schema}.outbox_claim c
             WHERE {held}
               FOR UPDATE
            """.replace("{held}", ClaimSql.HELD);

    /**
     * Relies on outbox_unpublished_pk, in which every event is looked up by its id ({@link ClaimSql#DROP_EXPIRED} says why), on
     * outbox_claim_pk and outbox_delivery_lane_head. The first delivery of a lane without a
     * head becomes its head, the others wait behind it. A dead one that blocks its lane is a head too; where the lane has one
     * already, it waits behind that, and is tried again.
     */
    static final String PARK = """
            WITH {writable rows}parked AS (
                SELECT o.id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, p.handler_id, p.kind,
                       p.delay, p.code, p.error
                  FROM unnest(:queued_events::bigint[], :queued_handlers::text[], :kinds::text[], :delays::bigint[],
                              :codes::text[], :errors::text[])
                       AS p (id, handler_id, kind, delay, code, error)
                 CROSS JOIN LATERAL (SELECT * FROM {schema}.outbox_unpublished o WHERE o.id = p.id LIMIT 1) o
                 WHERE o.dispatched_at IS NULL{and writable}
                   AND EXISTS (SELECT FROM {schema}.outbox_claim c WHERE {held})
            ), ranked AS (
                SELECT parked.*,
                       kind <> 'DEAD'
                       AND row_number() OVER (PARTITION BY aggregate_type, aggregate_id, handler_id, kind = 'DEAD'
                                                  ORDER BY aggregate_seq) = 1
                       AND NOT EXISTS (SELECT
                                         FROM {schema}.outbox_delivery d
                                        WHERE d.aggregate_type = parked.aggregate_type
                                          AND d.aggregate_id = parked.aggregate_id
                                          AND d.handler_id = parked.handler_id
                                          AND d.head) AS head
                  FROM parked
            ), delivery AS (
                INSERT INTO {schema}.outbox_delivery
                       (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status, head,
                        attempt_count, retry_count, next_retry_at, last_attempt_at, last_error_code, last_error)
                SELECT id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type,
                       CASE WHEN kind = 'DEAD' OR kind = 'BLOCKED' AND head THEN 'DEAD'
                            WHEN head THEN 'DUE'
                            ELSE 'WAITING' END,
                       head,
                       (kind <> 'QUEUED')::integer,
                       (kind NOT IN ('QUEUED', 'DEFERRED'))::integer,
                       CASE WHEN head AND kind <> 'BLOCKED' OR kind IN ('FAILED', 'DEFERRED')
                            THEN clock_timestamp() + delay * interval '1 millisecond' END,
                       CASE WHEN kind <> 'QUEUED' THEN clock_timestamp() END,
                       code, error
                  FROM ranked
                RETURNING outbox_id, status, retry_count, next_retry_at, last_error_code, last_error
            ), pass AS (
                SELECT outbox_id,
                       bool_or(status <> 'DEAD') AS open,
                       max(retry_count) AS failed,
                       min(next_retry_at) AS next_retry_at,
                       max(last_error_code) AS code,
                       max(last_error) AS error
                  FROM delivery
                 GROUP BY outbox_id
            )
            UPDATE {schema}.outbox_unpublished o
               SET status = CASE WHEN pass.open THEN 'RETRYING' ELSE 'DEAD' END,
                   dispatched_at = clock_timestamp(),
                   attempt_count = o.attempt_count + 1,
                   retry_count = o.retry_count + pass.failed,
                   next_retry_at = pass.next_retry_at,
                   last_attempt_at = clock_timestamp(),
                   last_error_code = coalesce(pass.code, o.last_error_code),
                   last_error = coalesce(pass.error, o.last_error)
              FROM pass
             WHERE o.id = pass.outbox_id
               AND o.id = ANY (ARRAY(SELECT pass.outbox_id FROM pass))
            """.replace("{held}", ClaimSql.HELD);

    /**
     * Relies on outbox_claim_pk and outbox_unpublished_pk. The fence and the move are one statement, which copies and deletes: rows
     * that a {@code DELETE} returns are kept in memory first. The claim sees to it that nobody changes them meanwhile.
     */
    static final String MOVE = """
            WITH {writable rows}fence AS (
                {fence}
            ), history AS (
                {history}
                  FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:succeeded)
                   AND EXISTS (SELECT FROM fence){and writable}
            ), moved AS (
                DELETE FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:succeeded)
                   AND EXISTS (SELECT FROM fence){and writable}
            )
            SELECT count(*)
              FROM fence
            """;

    /** Relies on outbox_claim_pk and outbox_unpublished_pk. The aggregates of which nothing is unsettled are free for other claims. */
    static final String SHRINK_CLAIM = """
            UPDATE {schema}.outbox_claim c
               SET event_ids = unsettled.event_ids,
                   aggregates = unsettled.aggregates
              FROM (SELECT coalesce(array_agg(o.id ORDER BY o.id), '{}') AS event_ids,
                           coalesce(array_agg(DISTINCT {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id)), '{}')
                               AS aggregates
                      FROM {schema}.outbox_unpublished o
                     WHERE o.id = ANY ((SELECT mine.event_ids FROM {schema}.outbox_claim mine WHERE mine.id = :claim)::bigint[])
                       AND o.status = 'PENDING') unsettled
             WHERE {held}
            """.replace("{held}", ClaimSql.HELD);

    static final String KEEP_CLAIM =
            "SELECT c.id AS claim_id FROM {schema}.outbox_claim c WHERE " + ClaimSql.HELD + " FOR UPDATE";

    private static final String DROP_CLAIM =
            "DELETE FROM {schema}.outbox_claim c WHERE " + ClaimSql.HELD + " RETURNING c.id AS claim_id";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final DataSource dataSource;
    private final Variants keep;
    private final Variants drop;
    private final LockedRowsSettlement contended;

    /** With and without deliveries to park; most settlements have none and need not pay for them. */
    private record Variants(Pipeline move, Pipeline parkAndMove) {

        static Variants of(OutboxSchema schema, String fence, String... end) {
            String move = whatever(MOVE.replace("{fence}", fence));
            Stream<String> parking =
                    Stream.of(LOCK_CLAIM, LaneSql.LOCK_EVENTS, LaneSql.LOCK_LANES_OF_EVENTS, whatever(PARK));
            return new Variants(
                    pipeline(schema, Stream.of(move), end),
                    pipeline(schema, Stream.concat(parking, Stream.of(move)), end));
        }

        private static Pipeline pipeline(OutboxSchema schema, Stream<String> statements, String... end) {
            String[] all = Stream.concat(statements, Stream.of(end)).toArray(String[]::new);
            return new Pipeline(schema, LONGEST_WAIT, all);
        }
    }

    /** Without regard to locks: waits for them. */
    private static String whatever(String sql) {
        return sql.replace("{writable rows}", "").replace("{and writable}", "");
    }

    /** Creates a store. */
    public SettlementStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.keep = Variants.of(schema, KEEP_CLAIM, SHRINK_CLAIM);
        this.drop = Variants.of(schema, DROP_CLAIM);
        this.contended = new LockedRowsSettlement(dataSource, schema);
    }

    /** What to write of a claim. */
    public record Settlement(ClaimKey claim, List<Long> succeeded, List<Parked> parked, boolean last) {

        long[] eventIds() {
            return LongStream.concat(
                            succeeded.stream().mapToLong(Long::longValue),
                            parked.stream().mapToLong(Parked::outboxId))
                    .distinct()
                    .toArray();
        }
    }

    /** What a settlement did. */
    public record Settled(boolean claimHeld, Set<Long> leftOver) {}

    /**
     * Writes outcomes in one transaction and one round trip. If somebody else holds a row of theirs locked for a second, writes
     * the others.
     */
    public Settled settle(Settlement settlement) throws SQLException {
        try {
            return new Settled(settleAll(settlement), Set.of());
        } catch (SQLException ex) {
            if (LOCK_NOT_AVAILABLE.equals(ex.getSQLState())) {
                FaultPoint.BEFORE_CONTENDED_SETTLE.reached();
                return settleUnlocked(settlement);
            }
            throw ex;
        }
    }

    /** Writes the outcomes of those events that nobody else holds locked, without waiting for any. */
    public Settled settleUnlocked(Settlement settlement) throws SQLException {
        return contended.settle(settlement);
    }

    private boolean settleAll(Settlement settlement) throws SQLException {
        Variants variants = settlement.last() ? drop : keep;
        boolean parking = !settlement.parked().isEmpty();
        Pipeline pipeline = parking ? variants.parkAndMove() : variants.move();
        return pipeline.run(
                dataSource,
                (parameters) -> {
                    bindSucceeded(parameters, settlement);
                    if (parking) {
                        bindParked(parameters, settlement);
                    }
                },
                (results) -> {
                    results.skip(parking ? 4 : 0);
                    ResultSet fence = results.rows();
                    fence.next();
                    return fence.getInt(1) == 1;
                });
    }

    static void bindSucceeded(NamedSql.Parameters parameters, Settlement settlement) throws SQLException {
        ClaimStore.bindFence(parameters, settlement.claim())
                .setLongs("succeeded", settlement.succeeded(), Long::longValue);
    }

    static void bindParked(NamedSql.Parameters parameters, Settlement settlement) throws SQLException {
        List<Parked> parked = settlement.parked();
        parameters
                .set("events", settlement.eventIds())
                .setLongs("queued_events", parked, Parked::outboxId)
                .setTexts("queued_handlers", parked, Parked::handlerId)
                .setTexts("kinds", parked, (one) -> one.kind().name())
                .setLongs("delays", parked, (one) -> one.delay().toMillis())
                .setTexts("codes", parked, (one) -> Failure.codeOf(one.failure()))
                .setTexts("errors", parked, (one) -> Failure.messageOf(one.failure()));
    }
}
