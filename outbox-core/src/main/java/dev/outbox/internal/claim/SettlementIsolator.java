package dev.outbox.internal.claim;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.claim.SettlementStore.Settled;
import dev.outbox.internal.dispatch.Dispatcher.DispatchedEvent;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.publish.Aggregate;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settles a batch event by event after it was refused as a whole; refused events become dead letters. */
final class SettlementIsolator {

    private static final Logger log = LoggerFactory.getLogger(SettlementIsolator.class);

    private final SettlementStore settlements;
    private final Set<Long> reported = new HashSet<>();

    SettlementIsolator(SettlementStore settlements) {
        this.settlements = settlements;
    }

    /** Leaves over an event that cannot even become a dead letter, and the later events of its aggregate. */
    Settled settle(EventBatch batch, List<DispatchedEvent> outcomes, boolean last) throws SQLException {
        Set<Long> leftOver = new HashSet<>();
        Set<Aggregate> stopped = new HashSet<>();
        for (DispatchedEvent outcome : outcomes) {
            Aggregate aggregate = outcome.event().aggregate();
            Settled settled =
                    stopped.contains(aggregate) ? new Settled(true, Set.of(outcome.id())) : settleOne(batch, outcome);
            FaultPoint.BETWEEN_ISOLATED_SETTLES.reached();
            if (!settled.claimHeld()) {
                return settled;
            }
            if (leftOver.addAll(settled.leftOver())) {
                stopped.add(aggregate);
            }
        }
        return last && leftOver.isEmpty()
                ? settlements.settle(batch.settlement(List.of(), true))
                : new Settled(true, Set.copyOf(leftOver));
    }

    private Settled settleOne(EventBatch batch, DispatchedEvent outcome) throws SQLException {
        try {
            Settled settled = settlements.settle(batch.settlement(List.of(outcome), false));
            reported.remove(outcome.id());
            return settled;
        } catch (SQLException | RuntimeException | Error ex) {
            if (!Causes.isRefusal(ex)) {
                throw ex;
            }
            return deadLetter(batch, outcome, ex);
        }
    }

    private Settled deadLetter(EventBatch batch, DispatchedEvent outcome, Throwable refusal) throws SQLException {
        EventEnvelope envelope = outcome.event().envelope();
        try {
            if (!outcome.outcomes().isEmpty()) {
                Settled settled = settlements.settle(batch.refusal(outcome, Failure.ofRefusal(refusal)));
                log.error(
                        "PostgreSQL refused to store the outcome of {}; it is dead until an operator retries or skips it",
                        envelope,
                        Redaction.loggable(refusal));
                return settled;
            }
        } catch (SQLException | RuntimeException | Error ex) {
            if (!Causes.isRefusal(ex)) {
                throw ex;
            }
        }
        if (reported.add(envelope.id())) {
            log.error(
                    "PostgreSQL refused to store the outcome of {}; its aggregate waits",
                    envelope,
                    Redaction.loggable(refusal));
        }
        return new Settled(true, Set.of(envelope.id()));
    }
}
