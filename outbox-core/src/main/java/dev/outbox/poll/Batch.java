package dev.outbox.poll;

import dev.outbox.dispatch.EventOutcome;
import dev.outbox.dispatch.Outcome;
import dev.outbox.duty.Lease;
import dev.outbox.store.Claim;
import dev.outbox.store.ClaimedEvent;
import dev.outbox.store.Parked;
import dev.outbox.store.SettleStore.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A claimed batch on its way: which events are still to be dispatched, and which outcomes are still to be settled. */
final class Batch {

    private final Claim claim;
    private final long registryVersion;
    private final Lease lease;
    private final BlockedLanes lanes = new BlockedLanes();
    private final List<EventOutcome> unsettled = new ArrayList<>();
    private int next;
    private long settledAt = System.nanoTime();

    Batch(Claim claim, long registryVersion, Lease lease) {
        this.claim = claim;
        this.registryVersion = registryVersion;
        this.lease = lease;
    }

    /** The version of the handler registry that the claim is valid for. */
    long registryVersion() {
        return registryVersion;
    }

    Lease lease() {
        return lease;
    }

    boolean hasNext() {
        return next < claim.events().size();
    }

    ClaimedEvent next() {
        return claim.events().get(next);
    }

    Set<String> blockedForNext() {
        return lanes.handlersFor(next());
    }

    void add(EventOutcome outcome) {
        next++;
        unsettled.add(outcome);
        lanes.note(outcome);
    }

    int unsettled() {
        return unsettled.size();
    }

    /** Whether outcomes have waited so long that a crash would repeat too much. */
    boolean isSettlingDue(Duration atMost) {
        return System.nanoTime() - settledAt > atMost.toNanos();
    }

    /** What to write; the last settlement ends the claim, and so sets free what was not dispatched. */
    Settlement settlement(boolean last) {
        List<Long> succeeded = new ArrayList<>();
        List<Parked> parked = new ArrayList<>();
        for (EventOutcome outcome : unsettled) {
            long id = outcome.event().envelope().id();
            if (outcome.succeeded()) {
                succeeded.add(id);
            } else {
                outcome.handlers().forEach((handler) -> park(id, handler, parked));
            }
        }
        return new Settlement(claim.id(), succeeded, parked, last);
    }

    private static void park(long id, EventOutcome.OfHandler handler, List<Parked> parked) {
        String handlerId = handler.handlerId();
        Outcome outcome = handler.outcome();
        if (outcome instanceof Outcome.Failed failed) {
            parked.add(new Parked(id, handlerId, Parked.Kind.FAILED, failed.retryIn(), failed.failure()));
        } else if (outcome instanceof Outcome.Dead dead) {
            parked.add(new Parked(id, handlerId, Parked.Kind.DEAD, Duration.ZERO, dead.failure()));
        } else if (outcome instanceof Outcome.Queued) {
            parked.add(new Parked(id, handlerId, Parked.Kind.QUEUED, Duration.ZERO, null));
        }
    }

    /** Forgets the outcomes that were written, and returns them. */
    List<EventOutcome> settled(Set<Long> leftOver) {
        List<EventOutcome> settled = unsettled.stream()
                .filter((outcome) ->
                        !leftOver.contains(outcome.event().envelope().id()))
                .toList();
        unsettled.removeAll(settled);
        settledAt = System.nanoTime();
        return settled;
    }

    @Override
    public String toString() {
        return "claim " + claim.id() + " of " + claim.events().size() + " events";
    }
}
