package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.RetryBatch.Attempted;
import dev.outbox.internal.lane.RetryBatch.DeliveryKey;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes and reschedules claimed deliveries, and gives their lanes back, fenced by their claim. */
final class DeliverySettlementStore {

    private static final Logger log = LoggerFactory.getLogger(DeliverySettlementStore.class);

    static final String SETTLE = NamedSql.of(DeliverySettlementStore.class, "settle-lanes.sql", "settled")
            .replace("{into history}", LaneSql.INTO_HISTORY)
            .replace("{held}", ClaimKey.HELD);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration SHORT_WAIT = Duration.ofMillis(20);

    private final DataSource dataSource;
    private final Pipeline settle;
    private final Pipeline settleQuickly;

    DeliverySettlementStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.settle = pipeline(schema, LONGEST_WAIT);
        this.settleQuickly = pipeline(schema, SHORT_WAIT);
    }

    private static Pipeline pipeline(OutboxSchema schema, Duration lockTimeout) {
        return new Pipeline(
                schema, lockTimeout, LaneSql.LOCK_CLAIMED_EVENTS, LaneSql.LOCK_CLAIMED_LANES, SETTLE, LaneSql.RELEASE);
    }

    /**
     * Result of a settlement: whether the claim was still held, the deliveries left over, and the retries of each event that is complete. What is
     * neither left over nor to be written any more has been written before.
     */
    record Settled(boolean claimHeld, Set<DeliveryKey> leftOver, List<Integer> retriesOfCompleted) {}

    /**
     * Writes outcomes, gives back the lanes except for those that the worker keeps, and completes events, in one transaction and one round
     * trip. If a row stays locked for a second, writes the outcomes one by one.
     */
    Settled settle(ClaimKey claim, List<Attempted> attempts, List<DueDelivery> untried, Set<Lane> kept)
            throws SQLException {
        try {
            return run(settle, claim, attempts, untried, kept);
        } catch (SQLException ex) {
            if (!Pipeline.isLocked(ex)) {
                throw ex;
            }
            return settleOneByOne(claim, attempts, untried, kept);
        }
    }

    /**
     * Writes outcomes one by one. Leaves over the deliveries of which another session holds a row locked, and those behind them in their
     * lanes. An outcome that PostgreSQL refuses becomes a dead letter.
     */
    Settled settleOneByOne(ClaimKey claim, List<Attempted> attempts, List<DueDelivery> untried, Set<Lane> kept)
            throws SQLException {
        Map<Lane, List<DueDelivery>> lanes = new LinkedHashMap<>();
        Stream.concat(attempts.stream().map(Attempted::delivery), untried.stream())
                .forEach((one) -> lanes.computeIfAbsent(Lane.of(one), (lane) -> new ArrayList<>())
                        .add(one));
        Map<DeliveryKey, Attempted> outcomes = new HashMap<>();
        attempts.forEach((attempt) -> outcomes.put(attempt.key(), attempt));
        Settled total = new Settled(true, new HashSet<>(), new ArrayList<>());
        for (Map.Entry<Lane, List<DueDelivery>> lane : lanes.entrySet()) {
            if (!settleLane(claim, lane.getValue(), outcomes, kept.contains(lane.getKey()), total)) {
                return new Settled(false, Set.of(), List.of());
            }
        }
        return total;
    }

    /** Settles the deliveries of a lane in their order, and gives the lane back with the last one. Returns whether the claim is held. */
    private boolean settleLane(
            ClaimKey claim,
            List<DueDelivery> deliveries,
            Map<DeliveryKey, Attempted> outcomes,
            boolean kept,
            Settled total)
            throws SQLException {
        for (int i = 0; i < deliveries.size(); i++) {
            DueDelivery delivery = deliveries.get(i);
            Attempted outcome = outcomes.get(DeliveryKey.of(delivery));
            boolean last = i == deliveries.size() - 1;
            Settled settled = writeAlone(claim, delivery, outcome, kept || !last);
            if (settled == null) {
                deliveries
                        .subList(i, deliveries.size())
                        .forEach((one) -> total.leftOver().add(DeliveryKey.of(one)));
                return true;
            }
            if (!settled.claimHeld()) {
                return false;
            }
            total.retriesOfCompleted().addAll(settled.retriesOfCompleted());
            FaultPoint.BETWEEN_REDELIVERY_SETTLES.reached();
        }
        return true;
    }

    /** Returns null if a row is locked, or PostgreSQL refuses even a dead letter. */
    private @Nullable Settled writeAlone(
            ClaimKey claim, DueDelivery delivery, @Nullable Attempted outcome, boolean keeps) throws SQLException {
        Set<Lane> kept = keeps ? Set.of(Lane.of(delivery)) : Set.of();
        try {
            return outcome == null
                    ? run(settleQuickly, claim, List.of(), List.of(delivery), kept)
                    : run(settleQuickly, claim, List.of(outcome), List.of(), kept);
        } catch (SQLException | RuntimeException | Error ex) {
            boolean refused = Causes.isRefusal(ex);
            if (!refused && !(ex instanceof SQLException sql && Pipeline.isLocked(sql))) {
                throw ex;
            }
            boolean mayDie =
                    outcome != null && !Failure.REFUSED.equals(outcome.outcome().code());
            return refused && mayDie ? deadLetter(claim, delivery, ex, keeps) : null;
        }
    }

    private @Nullable Settled deadLetter(ClaimKey claim, DueDelivery delivery, Throwable refusal, boolean keeps)
            throws SQLException {
        log.error(
                "PostgreSQL refused to store the outcome of {} for {}; it is dead until an operator retries or skips it",
                delivery.envelope(),
                delivery.handlerId(),
                Redaction.loggable(refusal));
        Failure failure = Failure.ofRefusal(refusal);
        DeliveryOutcome dead = DeliveryOutcome.dead(failure, false);
        return writeAlone(claim, delivery, new Attempted(delivery, dead), keeps);
    }

    private Settled run(
            Pipeline pipeline, ClaimKey claim, List<Attempted> attempts, List<DueDelivery> untried, Set<Lane> kept)
            throws SQLException {
        List<Lane> lanes = Stream.concat(attempts.stream().map(Attempted::delivery), untried.stream())
                .map(Lane::of)
                .distinct()
                .toList();
        return pipeline.run(
                dataSource,
                (parameters) -> claim.bind(Lane.bind(parameters, lanes))
                        .setTexts("lane_kept", lanes, (lane) -> Boolean.toString(kept.contains(lane)))
                        .setLongs("events", attempts, (one) -> one.key().outboxId())
                        .setLongs("outbox_ids", attempts, (one) -> one.key().outboxId())
                        .setTexts("handler_ids", attempts, (one) -> one.key().handlerId())
                        .setTexts(
                                "kinds", attempts, (one) -> one.outcome().kind().name())
                        .setLongs(
                                "delays",
                                attempts,
                                (one) -> one.outcome().delay().toMillis())
                        .setTexts("codes", attempts, (one) -> one.outcome().code())
                        .setTexts("errors", attempts, (one) -> one.outcome().message())
                        .setTexts("details", attempts, (one) -> one.outcome().details()),
                DeliverySettlementStore::readSettled);
    }

    private static Settled readSettled(Pipeline.Results results) throws SQLException {
        boolean held = results.row(LaneSql.LOCK_CLAIMED_EVENTS).getInt(1) == 1;
        return new Settled(held, Set.of(), results.list(SETTLE, (row) -> row.getInt(1)));
    }
}
