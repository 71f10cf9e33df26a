package dev.outbox.poll;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.EventOutcome;
import dev.outbox.dispatch.Shift;
import dev.outbox.dispatch.Subscriptions;
import dev.outbox.duty.Crew;
import dev.outbox.duty.Lease;
import dev.outbox.duty.LeaseKeeper;
import dev.outbox.duty.Strand;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.store.Claim;
import dev.outbox.store.ClaimRound;
import dev.outbox.store.ClaimStore;
import dev.outbox.store.ClaimedEvent;
import dev.outbox.store.ScanDepth;
import dev.outbox.store.ScanProgress;
import dev.outbox.store.ScanReach;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
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
    private final ClaimStore claims;
    private final Settling settling;
    private final Subscriptions subscriptions;
    private final Dispatcher dispatcher;
    private final LeaseKeeper leases;
    private final OutboxObserver observer;
    private final @Nullable Crew crew;
    private final Runnable wake;

    /** Aggregates of which somebody else holds a row locked: left out until a claim finds nothing else. */
    private final Set<Long> heldAggregates = new HashSet<>();

    private final ScanProgress progress = new ScanProgress();
    private final ScanDepth depth;

    /**
     * Creates the fast lane of a stream.
     *
     * @param crew dispatches; {@code null} for the calling thread
     * @param wake called by the crew when there is something to settle or room for more
     */
    FastLane(Stream stream, PollerResources resources, @Nullable Crew crew, Runnable wake) {
        this.stream = stream;
        this.depth = new ScanDepth(stream.settings().batchSize());
        this.claims = resources.claims();
        this.settling = new Settling(stream, resources);
        this.subscriptions = resources.subscriptions();
        this.dispatcher = resources.dispatcher();
        this.leases = resources.leases();
        this.observer = resources.observer();
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
        settling.finish();
    }

    private boolean hasRoom() {
        List<Batch> underWay = settling.underWay();
        return crew == null
                ? underWay.stream().allMatch(settling::isAhead)
                : crew.hasRoom() && underWay.size() <= crew.size();
    }

    private Round claim(BooleanSupplier closing) throws SQLException {
        long begun = System.nanoTime();
        int batchSize = stream.settings().batchSize();
        LongPredicate outdated = subscriptions.outdated();
        // Later events of the aggregates that are being written are left out, and nobody else would look for them.
        boolean leftOut = settling.isAhead();
        ScanReach reach = leftOut ? depth.near(progress.highest()) : depth.next(progress.highest());
        ClaimStore.Request request = new ClaimStore.Request(
                stream.name(),
                stream.worker(),
                batchSize,
                stream.settings().lease(),
                heldAggregates,
                dispatcher.activeHandlers(),
                progress.next(),
                reach,
                progress.question());
        Optional<ClaimRound> found = claims.claim(request);
        if (found.isEmpty()) {
            subscriptions.addStream(stream.name());
            return Round.withoutClaim(true);
        }
        ClaimRound round = found.get();
        round.expired()
                .forEach((expired) -> log.warn(
                        "the lease of {} on {} events of stream {} expired; they are free again",
                        expired.worker(),
                        expired.events(),
                        stream.name()));
        Claim claim = round.claim();
        progress.advance(round.sighting(), claim);
        int events = claim == null ? 0 : claim.events().size();
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        observer.claimed(stream.name(), took, events);
        boolean again = leftOut || depth.learn(reach, events, round.sighting().isLong(), took);
        boolean foundHeld = heldAggregates.addAll(round.heldAggregates());
        if (events == 0 && !foundHeld && !again) {
            heldAggregates.clear();
        }
        if (claim == null) {
            subscriptions.atVersion(round.registryVersion());
        } else {
            Lease lease = keep(claim, begun);
            Batch batch = crew == null
                    ? Batch.inOrder(claim, round.registryVersion(), lease)
                    : Batch.byAggregate(claim, round.registryVersion(), lease);
            settling.add(batch);
            goOn(batch, closing);
        }
        // What is due was asked of the handlers that were active then.
        boolean asksAgain = outdated.test(round.registryVersion());
        if (claim == null) {
            settling.finishAhead();
        }
        boolean more = events == batchSize || again || foundHeld || settling.hasParked() || asksAgain;
        return new Round(more, round.untilNextDelivery(), depth.lookAgainIn());
    }

    private Lease keep(Claim claim, long begun) {
        Set<Long> id = Set.of(claim.id());
        Duration life = stream.settings().lease();
        return leases.keep(() -> !claims.renew(id, life).isEmpty(), life, begun);
    }

    private void goOn(Batch current, BooleanSupplier closing) throws SQLException {
        if (!current.isBegun()) {
            subscriptions.atVersion(current.registryVersion());
            current.begin();
            if (crew != null) {
                current.strands().forEach((strand) -> crew.work(() -> dispatch(current, strand, closing)));
            }
        }
        if (crew == null && !dispatchHere(current, closing)) {
            return;
        }
        if (!current.isOver()) {
            settleDue(current);
        } else if (crew == null
                && current.isWorthSettlingAhead(stream.settings().batchSize())) {
            settling.settleAhead(current);
        } else {
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
