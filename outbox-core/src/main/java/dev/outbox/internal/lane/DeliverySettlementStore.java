package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.RetryBatch.Attempted;
import dev.outbox.internal.lane.RetryBatch.DeliveryKey;
import dev.outbox.internal.lease.Fence;
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

/** Removes and reschedules claimed deliveries, and gives their lanes back, fenced by the token of their claim. */
final class DeliverySettlementStore {

    private static final Logger log = LoggerFactory.getLogger(DeliverySettlementStore.class);

    static final String SETTLE = NamedSql.of(DeliverySettlementStore.class, "settle-lanes.sql", "settled")
            .replace("{into history}", LaneSql.INTO_HISTORY)
            .replace("{incarnation lasts}", Fence.LASTS);

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
        return new Pipeline(schema, lockTimeout, LaneSql.LOCK_EVENTS, LaneSql.LOCK_HELD, SETTLE, LaneSql.RELEASE);
    }

    /** Result of a settlement: the deliveries written and left over, and the retries of each event that is complete. */
    record Settled(Set<DeliveryKey> written, Set<DeliveryKey> leftOver, List<Integer> retriesOfCompleted) {}

    /**
     * Writes outcomes, gives back the lanes except for those that the worker keeps, and completes events, in one transaction and one round
     * trip. If a row stays locked for a second, writes the outcomes one by one.
     */
    Settled settle(List<Attempted> attempts, List<DueDelivery> untried, Set<Lane> kept) throws SQLException {
        try {
            return run(settle, attempts, untried, kept);
        } catch (SQLException ex) {
            if (!Pipeline.isLocked(ex)) {
                throw ex;
            }
            return settleOneByOne(attempts, untried, kept);
        }
    }

    /**
     * Writes outcomes one by one. Leaves over the deliveries of which another session holds a row locked, and those behind them in their
     * lanes. An outcome that PostgreSQL refuses becomes a dead letter.
     */
    Settled settleOneByOne(List<Attempted> attempts, List<DueDelivery> untried, Set<Lane> kept) throws SQLException {
        Map<Lane, List<DueDelivery>> lanes = new LinkedHashMap<>();
        Stream.concat(attempts.stream().map(Attempted::delivery), untried.stream())
                .forEach((one) -> lanes.computeIfAbsent(Lane.of(one), (lane) -> new ArrayList<>())
                        .add(one));
        Map<DeliveryKey, Attempted> outcomes = new HashMap<>();
        attempts.forEach((attempt) -> outcomes.put(attempt.key(), attempt));
        Settled total = new Settled(new HashSet<>(), new HashSet<>(), new ArrayList<>());
        for (Map.Entry<Lane, List<DueDelivery>> lane : lanes.entrySet()) {
            settleLane(lane.getValue(), outcomes, kept.contains(lane.getKey()), total);
        }
        return total;
    }

    /** Settles the deliveries of a lane in their order, and gives the lane back with the last one. */
    private void settleLane(
            List<DueDelivery> deliveries, Map<DeliveryKey, Attempted> outcomes, boolean kept, Settled total)
            throws SQLException {
        for (int i = 0; i < deliveries.size(); i++) {
            DueDelivery delivery = deliveries.get(i);
            Attempted outcome = outcomes.get(DeliveryKey.of(delivery));
            boolean last = i == deliveries.size() - 1;
            Settled settled = writeAlone(delivery, outcome, kept || !last);
            if (settled == null) {
                deliveries
                        .subList(i, deliveries.size())
                        .forEach((one) -> total.leftOver().add(DeliveryKey.of(one)));
                return;
            }
            total.written().addAll(settled.written());
            total.retriesOfCompleted().addAll(settled.retriesOfCompleted());
            FaultPoint.BETWEEN_REDELIVERY_SETTLES.reached();
        }
    }

    /** Returns null if a row is locked, or PostgreSQL refuses even a dead letter. */
    private @Nullable Settled writeAlone(DueDelivery delivery, @Nullable Attempted outcome, boolean keeps)
            throws SQLException {
        Set<Lane> kept = keeps ? Set.of(Lane.of(delivery)) : Set.of();
        try {
            return outcome == null
                    ? run(settleQuickly, List.of(), List.of(delivery), kept)
                    : run(settleQuickly, List.of(outcome), List.of(), kept);
        } catch (SQLException | RuntimeException | Error ex) {
            boolean refused = Causes.isRefusal(ex);
            if (!refused && !(ex instanceof SQLException sql && Pipeline.isLocked(sql))) {
                throw ex;
            }
            boolean mayDie =
                    outcome != null && !Failure.REFUSED.equals(outcome.outcome().code());
            return refused && mayDie ? deadLetter(delivery, ex, keeps) : null;
        }
    }

    private @Nullable Settled deadLetter(DueDelivery delivery, Throwable refusal, boolean keeps) throws SQLException {
        log.error(
                "PostgreSQL refused to store the outcome of {} for {}; it is dead until an operator retries or skips it",
                delivery.envelope(),
                delivery.handlerId(),
                Redaction.loggable(refusal));
        Failure failure = Failure.ofRefusal(refusal);
        DeliveryOutcome dead = DeliveryOutcome.dead(failure, false);
        return writeAlone(delivery, new Attempted(delivery, dead), keeps);
    }

    /** Deliveries that were claimed at once have one fence. */
    private Settled run(Pipeline pipeline, List<Attempted> attempts, List<DueDelivery> untried, Set<Lane> kept)
            throws SQLException {
        List<DueDelivery> all = Stream.concat(attempts.stream().map(Attempted::delivery), untried.stream())
                .toList();
        if (all.isEmpty()) {
            return new Settled(Set.of(), Set.of(), List.of());
        }
        List<Lane> lanes = all.stream().map(Lane::of).distinct().toList();
        return pipeline.run(
                dataSource,
                (parameters) -> DeliveryClaimStore.bindHeld(
                                parameters, lanes, all.get(0).fence())
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
                        .setTexts("details", attempts, (one) -> FailureHistory.details(one.outcome())),
                DeliverySettlementStore::readSettled);
    }

    private static Settled readSettled(Pipeline.Results results) throws SQLException {
        Set<DeliveryKey> written = new HashSet<>();
        List<Integer> retriesOfCompleted = new ArrayList<>();
        results.list(SETTLE, (row) -> {
            String handlerId = row.getString(2);
            return handlerId == null
                    ? retriesOfCompleted.add(row.getInt(3))
                    : written.add(new DeliveryKey(row.getLong(1), handlerId));
        });
        return new Settled(written, Set.of(), retriesOfCompleted);
    }
}
