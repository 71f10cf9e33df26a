package dev.outbox.internal.processing;

import dev.outbox.internal.background.SerialQueue;
import dev.outbox.internal.background.WorkerPool;
import dev.outbox.internal.delivery.ClaimRound;
import dev.outbox.internal.delivery.ClaimedEvent;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.EventOutcome;
import dev.outbox.internal.dispatch.LeaseGuard;
import dev.outbox.internal.dispatch.Subscriptions;
import dev.outbox.internal.fault.FaultPoint;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Offers new events of one stream to their handlers: claim, dispatch, settle. Used by one thread, which dispatches itself or lets a workers do it. */
final class FirstDeliveries {

    private static final Logger log = LoggerFactory.getLogger(FirstDeliveries.class);

    /** A crash repeats what was dispatched in this time, not the whole batch. */
    private static final Duration SETTLE_AT_LATEST_AFTER = Duration.ofSeconds(1);

    /** What one queue has done is not kept waiting by another one that takes long: its aggregate is free for the next claim. */
    static final Duration SETTLE_BESIDE_OTHERS_AFTER = Duration.ofMillis(50);

    private final PolledStream stream;
    private final Claimer claiming;
    private final Settler settling;
    private final Subscriptions subscriptions;
    private final Dispatcher dispatcher;
    private final @Nullable WorkerPool workers;
    private final Runnable wake;

    /** Creates the fast lane of a stream. */
    FirstDeliveries(PolledStream stream, PollerResources resources, @Nullable WorkerPool workers, Runnable wake) {
        this.stream = stream;
        this.claiming = new Claimer(stream, resources, workers != null);
        this.settling = new Settler(stream, resources);
        this.subscriptions = resources.subscriptions();
        this.dispatcher = resources.dispatcher();
        this.workers = workers;
        this.wake = wake;
    }

    /** What a round found. */
    record Round(boolean more, Optional<Duration> untilNextDelivery, Optional<Duration> lookAgainIn) {

        static Round withoutClaim(boolean more) {
            return new Round(more, Optional.empty(), Optional.empty());
        }
    }

    Round runOnce(BooleanSupplier closing) throws SQLException {
        settling.settleContended();
        for (Batch current : settling.underWay()) {
            if (!settling.isAhead(current)) {
                goOn(current, closing);
            }
        }
        if (closing.getAsBoolean() || !hasRoom()) {
            return Round.withoutClaim(false);
        }
        return claim(closing);
    }

    /** Whether outcomes wait for being settled beside others that are still to come. */
    boolean isSettlingSoon() {
        return settling.underWay().stream()
                .anyMatch((batch) -> !batch.unsettled().isEmpty());
    }

    /** Settles what was done when nothing is done any more, and sets the rest free. */
    void finish() throws SQLException {
        try {
            claiming.finish().ifPresent(settling::add);
        } catch (SQLException | RuntimeException ex) {
            log.debug("a claim of stream {} failed while it was being stopped", stream.name(), ex);
        }
        settling.finish();
    }

    private boolean hasRoom() {
        List<Batch> underWay = settling.underWay();
        return workers == null
                ? underWay.stream().allMatch(settling::isAhead)
                : workers.hasRoom() && underWay.size() <= workers.size();
    }

    private Round claim(BooleanSupplier closing) throws SQLException {
        Optional<Claimer.Found> next = claiming.next(settling.isAhead());
        if (next.isEmpty()) {
            subscriptions.addStream(stream.name());
            return Round.withoutClaim(true);
        }
        Claimer.Found found = next.get();
        ClaimRound round = found.round();
        Batch batch = found.batch();
        if (batch == null) {
            subscriptions.atVersion(round.registry());
            settling.finishAhead();
        } else {
            settling.add(batch);
            if (workers == null && batch.isSpread(stream.settings().batchSize())) {
                claiming.beginAhead();
            }
            goOn(batch, closing);
        }
        // What is due was asked of the handlers that were active then.
        boolean asksAgain = found.outdated().test(round.registry());
        return new Round(
                found.again() || settling.hasParked() || asksAgain, round.untilNextDelivery(), claiming.lookAgainIn());
    }

    private void goOn(Batch current, BooleanSupplier closing) throws SQLException {
        if (!current.isBegun()) {
            FaultPoint.BEFORE_DISPATCH.reached();
            subscriptions.atVersion(current.registry());
            current.begin();
            if (workers != null) {
                workers.work(current.queues(), (queue) -> dispatch(current, queue, closing), current::left);
            }
        }
        if (workers == null && !dispatchHere(current, closing)) {
            return;
        }
        if (!current.isOver()) {
            settleDue(current);
        } else if (workers != null
                || !current.isWorthSettlingAhead(stream.settings().batchSize())
                || !settling.settleAsync(current)) {
            settling.finishAhead();
            settling.settle(current, true);
        }
    }

    private void settleDue(Batch current) throws SQLException {
        if (current.isSettlingDue(SETTLE_BESIDE_OTHERS_AFTER)) {
            settling.settle(current, false);
        }
    }

    /** Dispatches on the poller's own thread, and settles in between. Returns whether the lease still holds. */
    private boolean dispatchHere(Batch current, BooleanSupplier closing) throws SQLException {
        for (SerialQueue<ClaimedEvent> queue : current.queues()) {
            while (dispatchNext(current, queue, closing)) {
                if (queue.hasNext()
                        && current.isSettlingDue(SETTLE_AT_LATEST_AFTER)
                        && !settling.settle(current, false)) {
                    return false;
                }
            }
            if (!current.isOver()) {
                current.left(queue);
            }
        }
        return true;
    }

    /** Dispatches a queue on a thread of the workers. */
    private void dispatch(Batch current, SerialQueue<ClaimedEvent> queue, BooleanSupplier closing) {
        try {
            while (dispatchNext(current, queue, closing)) {
                if (current.isSettlingDue(SETTLE_AT_LATEST_AFTER)) {
                    wake.run();
                }
            }
        } finally {
            current.left(queue);
            if (current.isOver() || workers == null || workers.isIdle()) {
                wake.run();
            }
        }
    }

    private boolean dispatchNext(Batch current, SerialQueue<ClaimedEvent> queue, BooleanSupplier closing) {
        LeaseGuard guard = new LeaseGuard(current.lease(), closing);
        if (!queue.hasNext() || guard.isOver()) {
            return false;
        }
        ClaimedEvent event = queue.next();
        EventOutcome outcome = dispatcher.dispatch(event, current.blockedFor(event), guard);
        if (outcome.abandoned()) {
            return false;
        }
        current.add(outcome);
        queue.advance();
        return true;
    }
}
