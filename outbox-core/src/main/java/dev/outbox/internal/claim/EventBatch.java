package dev.outbox.internal.claim;

import dev.outbox.internal.claim.ClaimStore.Claim;
import dev.outbox.internal.claim.SettlementStore.Settlement;
import dev.outbox.internal.claim.SettlementStore.Unfinished;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.BlockedLanes;
import dev.outbox.internal.dispatch.Dispatcher.ClaimedEvent;
import dev.outbox.internal.dispatch.Dispatcher.DispatchedEvent;
import dev.outbox.internal.dispatch.LogContext;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.lease.Lease;
import dev.outbox.internal.poll.Batch;
import dev.outbox.internal.poll.SerialQueue;
import dev.outbox.internal.publish.Aggregate;
import dev.outbox.internal.registry.HandlerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Claimed events, in a queue for each aggregate or all in one. */
final class EventBatch extends Batch<ClaimedEvent, DispatchedEvent> {

    /** How long an aggregate waits for outcomes that come later before its claim keeps their lanes only. */
    private static final Duration PATIENCE = Duration.ofMillis(100);

    /** Minimum batch size for asynchronous settlement and prefetching. */
    private static final int SMALLEST_SPREAD = 10;

    private final Claim claim;
    private final HandlerRegistry.Version registry;
    private final Lease lease;
    private final boolean full;
    private final boolean spread;
    private final long characters;
    private final BlockedLanes blocked = new BlockedLanes();

    /** Events whose outcomes come later, and those behind them in their aggregates, in the order of ids. */
    private final Map<Long, DispatchedEvent> awaiting = new LinkedHashMap<>();

    /** When the last event of an aggregate is known; only the thread that dispatches the aggregate uses it. */
    private final Map<Aggregate, CompletableFuture<?>> known = new ConcurrentHashMap<>();

    /** When the last outcome that comes later began to be awaited. */
    private volatile long awaitingSince;

    private boolean keepsLanes;

    private EventBatch(
            Limits limits, HandlerRegistry.Version registry, Lease lease, List<SerialQueue<ClaimedEvent>> queues) {
        super(queues);
        List<ClaimedEvent> events = limits.claim().events();
        this.claim = limits.claim();
        this.registry = registry;
        this.lease = lease;
        this.full = limits.cut() || events.size() >= limits.batchSize();
        this.spread = events.size() >= Math.max(limits.batchSize(), SMALLEST_SPREAD)
                && events.stream().map(ClaimedEvent::aggregate).distinct().count() * 4 >= events.size() * 3L;
        this.characters = events.stream()
                .mapToLong((event) -> event.envelope().payload().length())
                .sum();
    }

    /** What was claimed, and what kept the claim from taking more. */
    record Limits(Claim claim, int batchSize, boolean cut) {}

    /** Dispatches in the order of ids. */
    static EventBatch inOrder(Limits limits, HandlerRegistry.Version registry, Lease lease) {
        return new EventBatch(
                limits,
                registry,
                lease,
                List.of(new SerialQueue<>(limits.claim().events())));
    }

    /** Dispatches aggregates at the same time, each in order; those of a batch handler share as many queues as there are workers. */
    static EventBatch byAggregate(
            Limits limits,
            HandlerRegistry.Version registry,
            Lease lease,
            Predicate<ClaimedEvent> together,
            int workers) {
        Map<Aggregate, List<ClaimedEvent>> aggregates = new LinkedHashMap<>();
        limits.claim()
                .events()
                .forEach((event) -> aggregates
                        .computeIfAbsent(event.aggregate(), (key) -> new ArrayList<>())
                        .add(event));
        Map<Boolean, List<List<ClaimedEvent>>> groups = aggregates.values().stream()
                .collect(Collectors.partitioningBy((events) -> events.stream().anyMatch(together)));
        List<SerialQueue<ClaimedEvent>> queues =
                new ArrayList<>(SerialQueue.distribute(groups.getOrDefault(true, List.of()), workers));
        groups.getOrDefault(false, List.of()).forEach((events) -> queues.add(new SerialQueue<>(events)));
        return new EventBatch(limits, registry, lease, queues);
    }

    @Override
    public Lease lease() {
        return lease;
    }

    Claim claim() {
        return claim;
    }

    HandlerRegistry.Version registry() {
        return registry;
    }

    BlockedLanes blocked() {
        return blocked;
    }

    /** Adds a dispatched event when its outcomes are known, and the events before it in its aggregate are. */
    @Override
    public void add(DispatchedEvent event) {
        Aggregate aggregate = event.event().aggregate();
        CompletableFuture<?> before = known.get(aggregate);
        if (before == null && !event.isLater()) {
            super.add(event);
            return;
        }
        List<CompletableFuture<?>> outcomes = new ArrayList<>();
        event.outcomes().values().forEach((outcome) -> outcomes.add(outcome.known()));
        if (before != null) {
            outcomes.add(before);
        }
        awaitingSince = System.nanoTime();
        await();
        synchronized (awaiting) {
            awaiting.put(event.id(), event);
        }
        known.put(
                aggregate,
                CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
                        .thenRun(() -> arrived(event)));
    }

    private void arrived(DispatchedEvent event) {
        synchronized (awaiting) {
            if (awaiting.remove(event.id()) == null) {
                return;
            }
            event.outcomes().replaceAll((handlerId, outcome) -> outcome.known().join());
            super.add(event);
        }
        arrived();
    }

    @Override
    public long characters() {
        return characters;
    }

    @Override
    public Optional<Duration> patience() {
        return Optional.of(PATIENCE.minusNanos(System.nanoTime() - awaitingSince));
    }

    /** An outcome that has come meanwhile counts. Outcomes come in the order of a lane, so the last are read first: none before them is missed. */
    @Override
    public void letWait(boolean keepsLanes) {
        List<DispatchedEvent> events;
        synchronized (awaiting) {
            events = List.copyOf(awaiting.values());
            awaiting.clear();
            for (int i = events.size() - 1; i >= 0; i--) {
                events.get(i).outcomes().replaceAll((handlerId, outcome) -> known(outcome, keepsLanes));
            }
            events.forEach(super::add);
        }
        this.keepsLanes |= events.stream().anyMatch(DispatchedEvent::isLater);
        events.forEach((event) -> arrived());
    }

    private static DeliveryOutcome known(DeliveryOutcome outcome, boolean keepsLanes) {
        return outcome.known().getNow(keepsLanes ? outcome : DeliveryOutcome.QUEUED);
    }

    @Override
    public boolean isFull() {
        return full;
    }

    @Override
    public boolean isSpread() {
        return spread;
    }

    @Override
    public boolean isWorthSettlingAsync() {
        return spread && !isRefused() && unsettled().stream().allMatch(DispatchedEvent::succeeded);
    }

    /** The last settlement ends the claim, and so frees what was not dispatched. */
    Settlement settlement(List<DispatchedEvent> events, boolean last) {
        List<Long> succeeded = new ArrayList<>();
        List<Unfinished> queued = new ArrayList<>();
        for (DispatchedEvent event : events) {
            if (event.succeeded()) {
                succeeded.add(event.id());
            } else {
                event.outcomes().forEach((handlerId, outcome) -> {
                    if (!outcome.succeeded()) {
                        queued.add(new Unfinished(event.id(), handlerId, outcome));
                    }
                });
            }
        }
        return new Settlement(claim, succeeded, queued, last, keepsLanes);
    }

    /** Makes a refused outcome a dead letter of each handler that has not succeeded, or of all. */
    Settlement refusal(DispatchedEvent event, Failure failure) {
        List<Unfinished> dead = event.outcomes().entrySet().stream()
                .filter((handler) -> event.succeeded() || !handler.getValue().succeeded())
                .map((handler) -> new Unfinished(event.id(), handler.getKey(), DeliveryOutcome.dead(failure, false)))
                .toList();
        return new Settlement(claim, List.of(), dead, false, keepsLanes);
    }

    @Override
    public String toString() {
        return "claim " + claim.key().id() + " of " + claim.events().size() + " events: "
                + LogContext.describe(
                        claim.events().stream().map(ClaimedEvent::envelope).toList());
    }
}
