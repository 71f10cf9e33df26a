package dev.outbox.poll;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.EventOutcome;
import dev.outbox.dispatch.Shift;
import dev.outbox.dispatch.Subscriptions;
import dev.outbox.duty.Crew;
import dev.outbox.duty.Strand;
import dev.outbox.fault.FaultPoint;
import dev.outbox.store.ClaimRound;
import dev.outbox.store.ClaimedEvent;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers new events of one stream to their handlers: claim, dispatch, settle. Used by one thread, which dispatches itself or lets a crew do it.
 */
final class FastLane {

    private static final Logger log = LoggerFactory.getLogger(FastLane.class);

    /** A crash repeats what was dispatched in this time, not the whole batch. */
    private static final Duration SETTLE_AT_LATEST_AFTER = Duration.ofSeconds(1);

    /** What one strand has done is not kept waiting by another one that takes long: its aggregate is free for the next claim. */
    static final Duration SETTLE_BESIDE_OTHERS_AFTER = Duration.ofMillis(50);

    private final Stream stream;
    private final Claiming claiming;
    private final Settling settling;
    private final Subscriptions subscriptions;
    private final Dispatcher dispatcher;
    private final @Nullable Crew crew;
    private final Runnable wake;

    /**
     * Creates the fast lane of a stream.
     *
     * @param crew dispatches; {@code null} for the calling thread
     * @param wake called by the crew when there is something to settle or room for more
     */
    FastLane(Stream stream, PollerResources resources, @Nullable Crew crew, Runnable wake) {
        this.stream = stream;
        this.claiming = new Claiming(stream, resources, crew != null);
        this.settling = new Settling(stream, resources);
        this.subscriptions = resources.subscriptions();
        this.dispatcher = resources.dispatcher();
        this.crew = crew;
        this.wake = wake;
    }

    /**
     * What a round found.
     *
     * @param more whether there is probably more to claim at once
     * @param untilNextDelivery the time until a delivery of the repair lanes is due; empty if none waits
     * @param lookAgainIn the time until others may have set free what was left lying; empty if nothing was
     */
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
        return crew == null
                ? underWay.stream().allMatch(settling::isAhead)
                : crew.hasRoom() && underWay.size() <= crew.size();
    }

    private Round claim(BooleanSupplier closing) throws SQLException {
        Optional<Claiming.Found> next = claiming.next(settling.isAhead());
        if (next.isEmpty()) {
            subscriptions.addStream(stream.name());
            return Round.withoutClaim(true);
        }
        Claiming.Found found = next.get();
        ClaimRound round = found.round();
        Batch batch = found.batch();
        if (batch == null) {
            subscriptions.atVersion(round.registry());
            settling.finishAhead();
        } else {
            settling.add(batch);
            if (crew == null && batch.isSpread(stream.settings().batchSize())) {
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
            if (crew != null) {
                crew.work(current.strands(), (strand) -> dispatch(current, strand, closing), current::left);
            }
        }
        if (crew == null && !dispatchHere(current, closing)) {
            return;
        }
        if (!current.isOver()) {
            settleDue(current);
        } else if (crew != null
                || !current.isWorthSettlingAhead(stream.settings().batchSize())
                || !settling.settleAhead(current)) {
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
        for (Strand<ClaimedEvent> strand : current.strands()) {
            while (dispatchNext(current, strand, closing)) {
                if (strand.hasNext()
                        && current.isSettlingDue(SETTLE_AT_LATEST_AFTER)
                        && !settling.settle(current, false)) {
                    return false;
                }
            }
            if (!current.isOver()) {
                current.left(strand);
            }
        }
        return true;
    }

    /** Dispatches a strand on a thread of the crew. */
    private void dispatch(Batch current, Strand<ClaimedEvent> strand, BooleanSupplier closing) {
        try {
            while (dispatchNext(current, strand, closing)) {
                if (current.isSettlingDue(SETTLE_AT_LATEST_AFTER)) {
                    wake.run();
                }
            }
        } finally {
            current.left(strand);
            if (current.isOver() || crew == null || crew.isRunningDry()) {
                wake.run();
            }
        }
    }

    private boolean dispatchNext(Batch current, Strand<ClaimedEvent> strand, BooleanSupplier closing) {
        Shift shift = new Shift(current.lease(), closing);
        if (!strand.hasNext() || shift.isOver()) {
            return false;
        }
        ClaimedEvent event = strand.next();
        EventOutcome outcome = dispatcher.dispatch(event, current.blockedFor(event), shift);
        if (outcome.abandoned()) {
            return false;
        }
        current.add(outcome);
        strand.advance();
        return true;
    }
}
