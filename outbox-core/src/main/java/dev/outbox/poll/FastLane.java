package dev.outbox.poll;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.EventOutcome;
import dev.outbox.dispatch.Outcome;
import dev.outbox.dispatch.Subscriptions;
import dev.outbox.duty.Lease;
import dev.outbox.duty.LeaseKeeper;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.store.Claim;
import dev.outbox.store.ClaimRound;
import dev.outbox.store.ClaimStore;
import dev.outbox.store.SettleStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers new events of one stream to their handlers: claim, dispatch, settle. Where settling fails, the batch is kept and
 * settled in the next round, before anything else is claimed. Used by one thread.
 */
final class FastLane {

    private static final Logger log = LoggerFactory.getLogger(FastLane.class);

    /** A crash repeats what was dispatched in this time, not the whole batch. */
    private static final Duration SETTLE_AT_LATEST_AFTER = Duration.ofSeconds(1);

    private final Stream stream;
    private final ClaimStore claims;
    private final SettleStore settlements;
    private final Subscriptions subscriptions;
    private final Dispatcher dispatcher;
    private final LeaseKeeper leases;
    private final OutboxObserver observer;

    /** Aggregates of which somebody else holds a row locked: left out until a claim finds nothing else. */
    private final Set<Long> heldAggregates = new HashSet<>();

    private @Nullable Batch batch;

    /** Batches of which somebody else holds rows locked: their aggregates wait, everything else goes on. */
    private final List<Batch> contended = new ArrayList<>();

    FastLane(Stream stream, PollerResources resources) {
        this.stream = stream;
        this.claims = resources.claims();
        this.settlements = resources.settlements();
        this.subscriptions = resources.subscriptions();
        this.dispatcher = resources.dispatcher();
        this.leases = resources.leases();
        this.observer = resources.observer();
    }

    /**
     * What a round found.
     *
     * @param more whether there is probably more to claim at once
     * @param untilNextDelivery the time until a delivery of the repair lanes is due; empty if none waits
     */
    record Round(boolean more, Optional<Duration> untilNextDelivery) {}

    Round runOnce(BooleanSupplier closing) throws SQLException {
        Round round = new Round(true, Optional.empty());
        for (Batch waiting : List.copyOf(contended)) {
            settle(waiting, true);
        }
        if (batch == null) {
            round = claim();
        }
        Batch current = batch;
        if (current != null) {
            work(current, closing);
        }
        return round;
    }

    private Round claim() throws SQLException {
        long begun = System.nanoTime();
        int batchSize = stream.settings().batchSize();
        ClaimStore.Request request = new ClaimStore.Request(
                stream.name(),
                stream.worker(),
                batchSize,
                stream.settings().lease(),
                heldAggregates,
                dispatcher.handlerIds());
        Optional<ClaimRound> found = claims.claim(request);
        if (found.isEmpty()) {
            subscriptions.addStream(stream.name());
            return new Round(true, Optional.empty());
        }
        ClaimRound round = found.get();
        round.expired()
                .forEach((expired) -> log.warn(
                        "the lease of {} on {} events of stream {} expired; they are free again",
                        expired.worker(),
                        expired.events(),
                        stream.name()));
        Claim claim = round.claim();
        int events = claim == null ? 0 : claim.events().size();
        observer.claimed(stream.name(), Duration.ofNanos(System.nanoTime() - begun), events);
        if (claim != null) {
            batch = new Batch(claim, round.registryVersion(), keep(claim));
        }
        boolean foundHeld = heldAggregates.addAll(round.heldAggregates());
        boolean more = events == batchSize || foundHeld;
        if (events == 0 && !foundHeld) {
            heldAggregates.clear();
        }
        return new Round(more, round.untilNextDelivery());
    }

    private Lease keep(Claim claim) {
        Set<Long> id = Set.of(claim.id());
        return leases.keep(() -> !claims.renew(id, stream.settings().lease()).isEmpty());
    }

    private void work(Batch current, BooleanSupplier closing) throws SQLException {
        subscriptions.atVersion(current.registryVersion());
        while (current.hasNext() && !closing.getAsBoolean() && !current.lease().isLost()) {
            EventOutcome outcome = dispatcher.dispatch(current.next(), current.blockedForNext(), closing);
            if (outcome.abandoned()) {
                break;
            }
            current.add(outcome);
            if (current.hasNext() && current.isSettlingDue(SETTLE_AT_LATEST_AFTER) && !settle(current, false)) {
                return;
            }
        }
        settle(current, true);
    }

    private boolean settle(Batch current, boolean last) throws SQLException {
        long begun = System.nanoTime();
        int events = current.unsettled();
        boolean waiting = contended.contains(current);
        SettleStore.Settlement settlement = current.settlement(last);
        SettleStore.Settled settled = waiting ? settlements.settleUnlocked(settlement) : settlements.settle(settlement);
        if (!settled.claimHeld()) {
            end(current);
            observer.leaseLost(stream.name());
            log.warn(
                    "lost the lease on {} of stream {}; {} outcomes were not written, and the events are delivered again",
                    current,
                    stream.name(),
                    events);
            return false;
        }
        observer.settled(stream.name(), Duration.ofNanos(System.nanoTime() - begun), events);
        current.settled(settled.leftOver()).forEach(this::reportIfCompleted);
        if (last && settled.leftOver().isEmpty()) {
            end(current);
        } else if (last && !waiting) {
            setAside(current);
        }
        return true;
    }

    private void setAside(Batch current) {
        log.warn(
                "somebody else holds rows of {} of stream {} locked; their aggregates wait until they are free",
                current,
                stream.name());
        contended.add(current);
        batch = null;
    }

    private void reportIfCompleted(EventOutcome outcome) {
        boolean open = outcome.handlers().stream()
                .anyMatch((one) -> one.outcome() instanceof Outcome.Failed || one.outcome() instanceof Outcome.Queued);
        if (!open) {
            observer.completed(stream.name(), outcome.succeeded() ? 0 : 1);
        }
    }

    private void end(Batch current) {
        current.lease().close();
        contended.remove(current);
        if (batch == current) {
            batch = null;
        }
    }
}
