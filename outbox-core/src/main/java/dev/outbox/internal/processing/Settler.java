package dev.outbox.internal.processing;

import dev.outbox.internal.background.BackgroundCall;
import dev.outbox.internal.background.SerialQueue;
import dev.outbox.internal.dispatch.EventOutcome;
import dev.outbox.internal.failure.Refusal;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.ClaimStore;
import dev.outbox.internal.store.SettlementStore;
import dev.outbox.listener.OutboxListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what came of the batches of a stream, and keeps those that are not through. Where writing fails, a batch is kept and written
 * in the next round, before anything else is claimed. Used by one thread, except that a statement may run on another one meanwhile.
 */
final class Settler {

    private static final Logger log = LoggerFactory.getLogger(Settler.class);

    private static final int REFUSALS_BEFORE_ISOLATION = 3;

    private final PolledStream stream;
    private final SettlementStore settlements;
    private final ClaimStore claims;
    private final OutboxListener listener;
    private final Consumer<String> delegated;
    private final BackgroundCall<Written> ahead;
    private final SettlementIsolator isolator;

    private final List<Batch> underWay = new ArrayList<>();

    /** Batches of which somebody else holds rows locked: their aggregates wait, everything else goes on. */
    private final List<Batch> contended = new ArrayList<>();

    private @Nullable Writing aheadOfClaim;

    /** Whether deliveries may have become due since the last claim looked for them. */
    private boolean parked;

    /** A settlement that is being written. */
    private record Writing(
            Batch batch, List<EventOutcome> outcomes, SettlementStore.Settlement settlement, long begun) {}

    /** One that was written, which may be noticed later. */
    private record Written(SettlementStore.Settled settled, long ended) {

        static Written now(SettlementStore.Settled settled) {
            return new Written(settled, System.nanoTime());
        }
    }

    Settler(PolledStream stream, PollerResources resources) {
        this.stream = stream;
        this.settlements = resources.settlements();
        this.claims = resources.claims();
        this.listener = resources.listener();
        this.delegated = resources.delegated();
        this.isolator = new SettlementIsolator(settlements);
        this.ahead = new BackgroundCall<>("outbox-settler-" + stream.name());
    }

    /** The batches that are worked on, or wait for being written. */
    List<Batch> underWay() {
        return List.copyOf(underWay);
    }

    void add(Batch batch) {
        underWay.add(batch);
    }

    /** Whether any batch is being written, or its answer has not been looked at yet. */
    boolean isAhead() {
        return aheadOfClaim != null;
    }

    /** Whether a batch is being written while the next one is claimed. */
    boolean isAhead(Batch batch) {
        return aheadOfClaim != null && aheadOfClaim.batch() == batch;
    }

    /** Tells, once, whether deliveries may have become due since it was asked last. */
    boolean hasParked() {
        boolean answer = parked;
        parked = false;
        return answer;
    }

    void settleContended() throws SQLException {
        for (Batch waiting : List.copyOf(contended)) {
            settle(waiting, true);
        }
    }

    /**
     * Writes the rest of a batch while the poller goes on to claim and to dispatch the next one. Its aggregates are left out of that
     * claim, so this is worth it only where few of them come again. Returns whether a thread has taken it on.
     */
    boolean settleAsync(Batch current) throws SQLException {
        finishAhead();
        Writing writing = writing(current, true);
        boolean begun = ahead.begin(() -> Written.now(settle(writing.settlement())));
        aheadOfClaim = begun ? writing : null;
        return begun;
    }

    /** Waits for what is being written. */
    void finishAhead() throws SQLException {
        Writing writing = aheadOfClaim;
        if (writing != null) {
            aheadOfClaim = null;
            written(writing, resultAhead(writing), false);
        }
    }

    private Written resultAhead(Writing writing) throws SQLException {
        try {
            return ahead.result();
        } catch (SQLException ex) {
            if (Refusal.is(ex)) {
                writing.batch().refused();
            }
            throw ex;
        }
    }

    /** Returns whether the lease still holds. */
    boolean settle(Batch current, boolean last) throws SQLException {
        boolean waiting = contended.contains(current);
        Writing writing = writing(current, last);
        return written(writing, Written.now(write(writing, waiting)), waiting);
    }

    /** A stream never stops for one event: what PostgreSQL refuses again and again is settled event by event. */
    private SettlementStore.Settled write(Writing writing, boolean waiting) throws SQLException {
        SettlementStore.Settlement settlement = writing.settlement();
        try {
            return waiting ? settlements.settleUnlocked(settlement) : settle(settlement);
        } catch (SQLException ex) {
            if (!Refusal.is(ex) || writing.batch().refused() < REFUSALS_BEFORE_ISOLATION) {
                throw ex;
            }
            return isolator.settle(writing.batch(), writing.outcomes(), settlement.last());
        }
    }

    private SettlementStore.Settled settle(SettlementStore.Settlement settlement) throws SQLException {
        FaultPoint.BEFORE_SETTLE.reached();
        SettlementStore.Settled settled = settlements.settle(settlement);
        FaultPoint.AFTER_SETTLE.reached();
        return settled;
    }

    private static Writing writing(Batch current, boolean last) {
        long begun = System.nanoTime();
        List<EventOutcome> outcomes = current.unsettled();
        return new Writing(current, outcomes, current.settlement(outcomes, last), begun);
    }

    private boolean written(Writing writing, Written written, boolean waiting) {
        SettlementStore.Settled settled = written.settled();
        Batch current = writing.batch();
        boolean last = writing.settlement().last();
        if (!settled.claimHeld()) {
            current.queues().forEach(SerialQueue::end);
            end(current);
            listener.leaseLost(stream.name());
            log.warn(
                    "lost the lease on {} of stream {}; {} outcomes were not written, and the events are delivered again",
                    current,
                    stream.name(),
                    writing.outcomes().size());
            return false;
        }
        listener.settled(
                stream.name(),
                Duration.ofNanos(written.ended() - writing.begun()),
                writing.outcomes().size());
        parked = parked || !writing.settlement().parked().isEmpty();
        List<EventOutcome> done = current.settled(writing.outcomes(), settled.leftOver());
        done.forEach(this::reportIfCompleted);
        if (done.stream().anyMatch(EventOutcome::delegated)) {
            delegated.accept(stream.name());
        }
        if (last && settled.leftOver().isEmpty()) {
            end(current);
        } else if (last && !waiting) {
            setAside(current);
        }
        return true;
    }

    /** Settles what was done when nothing is done any more, and sets the rest free. */
    void finish() throws SQLException {
        try {
            finishAhead();
        } catch (SQLException ex) {
            log.debug("a settlement of stream {} failed; it is tried once more", stream.name(), ex);
        }
        for (Batch current : underWay()) {
            settle(current, true);
        }
        for (Batch waiting : List.copyOf(contended)) {
            settle(waiting, true);
            if (contended.contains(waiting)) {
                claims.release(waiting.claim());
                end(waiting);
            }
        }
    }

    private void setAside(Batch current) {
        log.warn(
                "rows of {} of stream {} are locked by another session, or refused; their aggregates wait until they can be written",
                current,
                stream.name());
        contended.add(current);
        underWay.remove(current);
    }

    private void reportIfCompleted(EventOutcome outcome) {
        if (!outcome.open()) {
            listener.completed(stream.name(), outcome.succeeded() ? 0 : 1);
        }
    }

    private void end(Batch current) {
        current.lease().close();
        contended.remove(current);
        underWay.remove(current);
    }
}
