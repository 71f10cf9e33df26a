package dev.outbox.internal.processing;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.background.Lease;
import dev.outbox.internal.background.SerialQueue;
import dev.outbox.internal.delivery.Claim;
import dev.outbox.internal.delivery.ClaimKey;
import dev.outbox.internal.delivery.ClaimedEvent;
import dev.outbox.internal.delivery.Parked;
import dev.outbox.internal.delivery.RegistryVersion;
import dev.outbox.internal.dispatch.EventOutcome;
import dev.outbox.internal.dispatch.Outcome;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.store.SettlementStore.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A claimed batch on its way: which events are still to be dispatched, and which outcomes are still to be settled. Outcomes may come
 * from several threads, one for each queue.
 */
final class Batch {

    /** Below this, handing over to another thread takes longer than it saves. */
    private static final int SMALLEST_AHEAD = 10;

    private final Claim claim;
    private final RegistryVersion registry;
    private final Lease lease;
    private final BlockedLanes lanes = new BlockedLanes();
    private final List<SerialQueue<ClaimedEvent>> queues;
    private final boolean spread;
    private final AtomicInteger open;
    private final List<EventOutcome> unsettled = new ArrayList<>();
    private long settledAt = System.nanoTime();
    private boolean begun;
    private int refusals;

    private record Aggregate(String type, String id) {

        static Aggregate of(ClaimedEvent event) {
            EventEnvelope envelope = event.envelope();
            return new Aggregate(envelope.aggregateType(), envelope.aggregateId());
        }
    }

    private Batch(Claim claim, RegistryVersion registry, Lease lease, List<SerialQueue<ClaimedEvent>> queues) {
        this.claim = claim;
        this.registry = registry;
        this.lease = lease;
        this.queues = queues;
        this.spread = isSpread(claim.events());
        this.open = new AtomicInteger(queues.size());
    }

    /** A batch that is dispatched in the order of ids. */
    static Batch inOrder(Claim claim, RegistryVersion registry, Lease lease) {
        return new Batch(claim, registry, lease, List.of(new SerialQueue<>(claim.events())));
    }

    /** A batch whose aggregates may be dispatched at the same time, each in order. */
    static Batch byAggregate(Claim claim, RegistryVersion registry, Lease lease) {
        Map<Aggregate, List<ClaimedEvent>> aggregates = new LinkedHashMap<>();
        claim.events()
                .forEach((event) -> aggregates
                        .computeIfAbsent(Aggregate.of(event), (key) -> new ArrayList<>())
                        .add(event));
        return new Batch(
                claim,
                registry,
                lease,
                aggregates.values().stream().map(SerialQueue::new).toList());
    }

    /** The version of the handler registry that the claim is valid for. */
    RegistryVersion registry() {
        return registry;
    }

    Lease lease() {
        return lease;
    }

    List<SerialQueue<ClaimedEvent>> queues() {
        return queues;
    }

    ClaimKey claim() {
        return claim.key();
    }

    boolean isBegun() {
        return begun;
    }

    void begin() {
        begun = true;
    }

    /** Notes that no thread works on a queue any more. */
    void left(SerialQueue<ClaimedEvent> queue) {
        if (queue.leave()) {
            open.decrementAndGet();
        }
    }

    /** Whether every event has been dispatched or is left undone. */
    boolean isOver() {
        return open.get() == 0;
    }

    Set<String> blockedFor(ClaimedEvent event) {
        return lanes.handlersFor(event);
    }

    void add(EventOutcome outcome) {
        lanes.note(outcome);
        synchronized (unsettled) {
            unsettled.add(outcome);
        }
    }

    /** The outcomes that are still to be settled. */
    List<EventOutcome> unsettled() {
        synchronized (unsettled) {
            return List.copyOf(unsettled);
        }
    }

    /** Whether outcomes have waited so long that a crash would repeat too much. */
    boolean isSettlingDue(Duration atMost) {
        synchronized (unsettled) {
            return !unsettled.isEmpty() && System.nanoTime() - settledAt > atMost.toNanos();
        }
    }

    /**
     * Whether the next batch is likely to be full too, and to have other aggregates: those of this one cannot be claimed before it is
     * written.
     */
    boolean isSpread(int batchSize) {
        return spread && claim.events().size() >= batchSize;
    }

    /** Counts how often PostgreSQL has refused to settle the batch as a whole. */
    int refused() {
        return ++refusals;
    }

    boolean isWorthSettlingAhead(int batchSize) {
        return refusals == 0 && isSpread(batchSize) && unsettled().stream().allMatch(EventOutcome::succeeded);
    }

    private static boolean isSpread(List<ClaimedEvent> events) {
        if (events.size() < SMALLEST_AHEAD) {
            return false;
        }
        long aggregates = events.stream().map(Aggregate::of).distinct().count();
        return aggregates * 4 >= events.size() * 3L;
    }

    /** What to write; the last settlement ends the claim, and so sets free what was not dispatched. */
    Settlement settlement(List<EventOutcome> outcomes, boolean last) {
        List<Long> succeeded = new ArrayList<>();
        List<Parked> parked = new ArrayList<>();
        for (EventOutcome outcome : outcomes) {
            long id = outcome.event().envelope().id();
            if (outcome.succeeded()) {
                succeeded.add(id);
            } else {
                outcome.handlers().forEach((handler) -> park(id, handler, parked));
            }
        }
        return new Settlement(claim.key(), succeeded, parked, last);
    }

    /** What to write of an event whose outcome PostgreSQL refuses: a dead letter of each handler that is not done, or of all. */
    Settlement refusal(EventOutcome outcome, Failure failure) {
        long id = outcome.event().envelope().id();
        List<Parked> parked = outcome.handlers().stream()
                .filter((handler) -> outcome.succeeded() || !(handler.outcome() instanceof Outcome.Succeeded))
                .map((handler) -> new Parked(id, handler.handlerId(), Parked.Kind.DEAD, Duration.ZERO, failure))
                .toList();
        return new Settlement(claim.key(), List.of(), parked, false);
    }

    private static void park(long id, EventOutcome.OfHandler handler, List<Parked> parked) {
        String handlerId = handler.handlerId();
        Outcome outcome = handler.outcome();
        if (outcome instanceof Outcome.Failed failed) {
            Parked.Kind kind = failed.counts() ? Parked.Kind.FAILED : Parked.Kind.DEFERRED;
            parked.add(new Parked(id, handlerId, kind, failed.retryIn(), failed.failure()));
        } else if (outcome instanceof Outcome.Dead dead) {
            Parked.Kind kind = dead.blocksLane() ? Parked.Kind.BLOCKED : Parked.Kind.DEAD;
            parked.add(new Parked(id, handlerId, kind, Duration.ZERO, dead.failure()));
        } else if (outcome instanceof Outcome.Queued || outcome instanceof Outcome.Delegated) {
            parked.add(new Parked(id, handlerId, Parked.Kind.QUEUED, Duration.ZERO, null));
        }
    }

    /** Forgets outcomes, which were the first of the unsettled ones, except for those left over; returns the forgotten. */
    List<EventOutcome> settled(List<EventOutcome> outcomes, Set<Long> leftOver) {
        List<EventOutcome> settled = new ArrayList<>();
        List<EventOutcome> left = new ArrayList<>();
        for (EventOutcome outcome : outcomes) {
            (leftOver.contains(outcome.event().envelope().id()) ? left : settled).add(outcome);
        }
        synchronized (unsettled) {
            left.addAll(unsettled.subList(outcomes.size(), unsettled.size()));
            unsettled.clear();
            unsettled.addAll(left);
            settledAt = System.nanoTime();
        }
        return settled;
    }

    @Override
    public String toString() {
        return "claim " + claim.id() + " of " + claim.events().size() + " events";
    }
}
