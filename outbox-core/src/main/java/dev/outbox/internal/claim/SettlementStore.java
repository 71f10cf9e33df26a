package dev.outbox.internal.claim;

import dev.outbox.internal.claim.ClaimStore.Claim;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Moves delivered events to history and queues the others for redelivery, fenced by their claim. */
final class SettlementStore {

    /** Relies on outbox_claim_pk. */
    private static final String DROP_CLAIM =
            "DELETE FROM {schema}.outbox_claim c WHERE " + ClaimKey.HELD + " RETURNING c.id";

    static final String QUEUE = LaneSql.QUEUE.replace("{held}", ClaimKey.HELD);

    /**
     * Relies on outbox_claim_pk and outbox_unpublished_pk. Fences and moves in one statement. Copies and then deletes, because rows that a
     * DELETE returns are kept in memory first; the claim keeps others from changing them meanwhile.
     */
    static final String MOVE = "WITH fence AS ({fence}), history AS (" + LaneSql.COPY_TO_HISTORY + """
                 WHERE o.id = ANY (:succeeded)
                   AND EXISTS (SELECT FROM fence)
            ), moved AS (
                DELETE FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:succeeded)
                   AND EXISTS (SELECT FROM fence)
            )
            SELECT count(*)
              FROM fence
            """;

    /** Relies on outbox_claim_pk and outbox_unpublished_pk. Frees the aggregates without unsettled events for other claims. */
    static final String SHRINK_CLAIM = """
            UPDATE {schema}.outbox_claim c
               SET event_ids = unsettled.event_ids,
                   aggregates = unsettled.aggregates
              FROM (SELECT coalesce(array_agg(o.id ORDER BY o.id), '{}') AS event_ids,
                           coalesce(array_agg(DISTINCT {schema}.outbox_aggregate_hash(o.aggregate_type, o.aggregate_id)), '{}') AS aggregates
                      FROM {schema}.outbox_unpublished o
                     WHERE o.id = ANY ((SELECT mine.event_ids FROM {schema}.outbox_claim mine WHERE mine.id = :claim)::bigint[])
                       AND o.status = 'PENDING') unsettled
             WHERE {held}
            """.replace("{held}", ClaimKey.HELD);

    /** Relies on outbox_unpublished_pk. Finds the locked events, and those after them in their aggregates, which must not get ahead. */
    static final String FIND_LOCKED = """
            WITH unlocked AS MATERIALIZED (
                SELECT o.id
                  FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:events)
                   AND o.status = 'PENDING'
                 ORDER BY o.id
                   FOR UPDATE SKIP LOCKED
            ), event AS MATERIALIZED (
                SELECT o.id, o.aggregate_seq,
                       min(o.aggregate_seq) FILTER (WHERE o.id NOT IN (SELECT unlocked.id FROM unlocked))
                           OVER (PARTITION BY o.aggregate_type, o.aggregate_id) AS first_locked
                  FROM {schema}.outbox_unpublished o
                 WHERE o.id = ANY (:events)
                   AND o.status = 'PENDING'
            )
            SELECT event.id
              FROM event
             WHERE event.aggregate_seq >= event.first_locked
            """;

    /** Relies on outbox_claim_pk and outbox_lane_claim. Ends a claim that has neither events nor lanes any more. */
    static final String END_CLAIM = """
            DELETE FROM {schema}.outbox_claim c
             WHERE {held}
               AND c.event_ids = '{}'
               AND NOT EXISTS (SELECT
                                 FROM {schema}.outbox_lane l
                                WHERE l.claim_id = :claim)
            """.replace("{held}", ClaimKey.HELD);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final Variants keep;
    private final Variants drop;
    private final Variants end;
    private final Pipeline findLocked;

    /** Statement pipelines with and without queueing. Most settlements queue nothing. */
    private record Variants(String moving, Pipeline move, Pipeline queueAndMove) {

        static Variants of(OutboxSchema schema, String fence, String... end) {
            String moving = MOVE.replace("{fence}", fence);
            String[] move = Stream.concat(Stream.of(moving), Stream.of(end)).toArray(String[]::new);
            Stream<String> queueing = Stream.of(LaneSql.LOCK_CLAIMED_EVENTS, QUEUE);
            String[] all = Stream.concat(queueing, Stream.of(move)).toArray(String[]::new);
            return new Variants(
                    moving, new Pipeline(schema, LONGEST_WAIT, move), new Pipeline(schema, LONGEST_WAIT, all));
        }
    }

    SettlementStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.keep = Variants.of(schema, ClaimKey.LOCK, SHRINK_CLAIM);
        this.drop = Variants.of(schema, DROP_CLAIM);
        this.end = Variants.of(schema, ClaimKey.LOCK, SHRINK_CLAIM, END_CLAIM);
        this.findLocked = new Pipeline(schema, FIND_LOCKED);
    }

    /** Delivery that its first attempt did not complete. */
    record Unfinished(long outboxId, String handlerId, DeliveryOutcome outcome) {

        /** One whose outcome comes later is queued, in a lane that the claim keeps. */
        private DeliveryOutcome.Kind kind() {
            return outcome.isLater() ? DeliveryOutcome.Kind.QUEUED : outcome.kind();
        }
    }

    /** Outcomes of claimed events. The last settlement ends the claim, or the claim goes on with lanes that it keeps. */
    record Settlement(Claim claim, List<Long> succeeded, List<Unfinished> queued, boolean last, boolean keepsLanes) {

        long[] eventIds() {
            LongStream others = queued.stream().mapToLong(Unfinished::outboxId);
            return LongStream.concat(succeeded.stream().mapToLong(Long::longValue), others)
                    .distinct()
                    .toArray();
        }

        Settlement without(Set<Long> events) {
            Stream<Long> moved = succeeded.stream().filter((id) -> !events.contains(id));
            Stream<Unfinished> others = queued.stream().filter((one) -> !events.contains(one.outboxId()));
            return new Settlement(claim, moved.toList(), others.toList(), last && events.isEmpty(), keepsLanes);
        }
    }

    /** Result of a settlement: whether the claim was still held, and the events that were left over. */
    record Settled(boolean claimHeld, Set<Long> leftOver) {}

    /** Writes outcomes in one transaction and one round trip. Leaves over events whose rows stay locked for a second. */
    Settled settle(Settlement settlement) throws SQLException {
        try {
            return new Settled(write(settlement), Set.of());
        } catch (SQLException ex) {
            if (!Pipeline.isLocked(ex)) {
                throw ex;
            }
            FaultPoint.BEFORE_LOCKED_SETTLE.reached();
            return settleUnlocked(settlement);
        }
    }

    /** Writes the outcomes of the events that no other session holds locked; leaves over all if one is locked meanwhile. */
    Settled settleUnlocked(Settlement settlement) throws SQLException {
        long[] events = settlement.eventIds();
        Set<Long> locked =
                findLocked.run(dataSource, (parameters) -> parameters.set("events", events), Pipeline.Results::ids);
        try {
            return new Settled(write(settlement.without(locked)), locked);
        } catch (SQLException ex) {
            if (!Pipeline.isLocked(ex) || events.length == 0) {
                throw ex;
            }
            return new Settled(true, LongStream.of(events).boxed().collect(Collectors.toSet()));
        }
    }

    private boolean write(Settlement settlement) throws SQLException {
        Variants variants = !settlement.last() ? keep : settlement.keepsLanes() ? end : drop;
        List<Unfinished> queued = settlement.queued();
        Pipeline pipeline = queued.isEmpty() ? variants.move() : variants.queueAndMove();
        return pipeline.run(
                dataSource,
                (parameters) -> {
                    settlement.claim().key().bind(parameters);
                    parameters.setLongs("succeeded", settlement.succeeded(), Long::longValue);
                    if (!queued.isEmpty()) {
                        bindQueued(parameters.set("events", settlement.eventIds()), queued);
                    }
                },
                (results) -> results.row(variants.moving()).getInt(1) == 1);
    }

    private static void bindQueued(NamedSql.Parameters parameters, List<Unfinished> queued) throws SQLException {
        parameters
                .setLongs("queued_events", queued, Unfinished::outboxId)
                .setTexts("queued_handlers", queued, Unfinished::handlerId)
                .setTexts("kinds", queued, (one) -> one.kind().name())
                .setTexts(
                        "kept", queued, (one) -> Boolean.toString(one.outcome().isLater()))
                .setLongs("delays", queued, (one) -> one.outcome().delay().toMillis())
                .setTexts("codes", queued, (one) -> one.outcome().code())
                .setTexts("errors", queued, (one) -> one.outcome().message())
                .setTexts("details", queued, (one) -> one.outcome().details());
    }
}
