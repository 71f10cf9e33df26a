package dev.outbox.internal.processing;

import dev.outbox.internal.background.Lease;
import dev.outbox.internal.background.SerialQueue;
import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.dispatch.Outcome;
import dev.outbox.internal.store.DeliverySettlementStore.Attempted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claimed deliveries on their way, lane by lane. Outcomes may come from several threads, one for each lane; the lease is renewed by
 * yet another, which asks what is still unsettled.
 */
final class RetryBatch {

    private final List<SerialQueue<DueDelivery>> lanes;
    private final Map<DeliveryKey, DueDelivery> unsettled = new ConcurrentHashMap<>();
    private final Set<DeliveryKey> lost = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open;
    private final Object suspects;
    private final List<Attempted> attempts = new ArrayList<>();
    private @Nullable Lease lease;
    private long settledAt = System.nanoTime();
    private int refusals;

    private record Lane(String handlerId, String aggregateType, String aggregateId) {

        static Lane of(DueDelivery delivery) {
            return new Lane(
                    delivery.handlerId(),
                    delivery.envelope().aggregateType(),
                    delivery.envelope().aggregateId());
        }
    }

    /** Creates a batch of which nothing is attempted. */
    RetryBatch(List<DueDelivery> deliveries, Object suspects) {
        this.suspects = suspects;
        this.lanes =
                deliveries.stream()
                        .collect(Collectors.groupingBy(Lane::of, LinkedHashMap::new, Collectors.toList()))
                        .values()
                        .stream()
                        .map(SerialQueue::new)
                        .toList();
        this.open = new AtomicInteger(lanes.size());
        deliveries.forEach((delivery) -> unsettled.put(DeliveryKey.of(delivery), delivery));
    }

    /** What the batch has entered the suspects as, if it has. */
    Object suspects() {
        return suspects;
    }

    void keptBy(Lease kept) {
        this.lease = kept;
    }

    Lease lease() {
        Lease kept = lease;
        if (kept == null) {
            throw new IllegalStateException("the batch has no lease yet");
        }
        return kept;
    }

    List<SerialQueue<DueDelivery>> lanes() {
        return lanes;
    }

    /** Notes what came of the next delivery of a lane; what waits behind a failure is left alone. */
    void add(SerialQueue<DueDelivery> lane, Outcome outcome) {
        Attempted attempted = attempted(lane.next(), outcome);
        synchronized (attempts) {
            attempts.add(attempted);
        }
        lane.advance();
        if (outcome.blocksLane()) {
            lane.end();
        }
    }

    private static Attempted attempted(DueDelivery delivery, Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            Attempted.Kind kind = failed.counts() ? Attempted.Kind.FAILED : Attempted.Kind.DEFERRED;
            return new Attempted(delivery, kind, failed.retryIn(), failed.failure());
        }
        if (outcome instanceof Outcome.Dead dead) {
            Attempted.Kind kind = dead.blocksLane() ? Attempted.Kind.BLOCKED : Attempted.Kind.DEAD;
            return new Attempted(delivery, kind, Duration.ZERO, dead.failure());
        }
        return new Attempted(delivery, Attempted.Kind.SUCCEEDED, Duration.ZERO, null);
    }

    /** Notes which of the deliveries that were asked for are still this worker's; returns whether any is. */
    boolean keep(List<DueDelivery> asked, Set<DeliveryKey> held) {
        asked.stream().map(DeliveryKey::of).filter((key) -> !held.contains(key)).forEach(lost::add);
        return !held.isEmpty();
    }

    /** What is unsettled and not lost. */
    List<DueDelivery> held() {
        return unsettled().stream()
                .filter((delivery) -> !isLost(DeliveryKey.of(delivery)))
                .toList();
    }

    /** Whether another worker may have a delivery by now. */
    boolean isLost(DeliveryKey key) {
        return lost.contains(key);
    }

    /** Notes that no thread works on a lane any more. */
    void left(SerialQueue<DueDelivery> lane) {
        if (lane.leave()) {
            open.decrementAndGet();
        }
    }

    /** Whether every delivery has been attempted or is left alone. */
    boolean isOver() {
        return open.get() == 0;
    }

    List<Attempted> attempts() {
        synchronized (attempts) {
            return List.copyOf(attempts);
        }
    }

    /** What was neither attempted nor settled. */
    List<DueDelivery> untried() {
        Set<DeliveryKey> attempted = new HashSet<>();
        attempts().forEach((attempt) -> attempted.add(DeliveryKey.of(attempt.delivery())));
        return unsettled.values().stream()
                .filter((delivery) -> !attempted.contains(DeliveryKey.of(delivery)))
                .toList();
    }

    /** What comes next in the lanes of some attempts, if all of these let them flow. */
    List<DueDelivery> nextAfter(List<Attempted> settling) {
        Set<DeliveryKey> done = new HashSet<>();
        Map<Lane, Boolean> flowing = new HashMap<>();
        for (Attempted attempt : settling) {
            boolean flows = attempt.kind() == Attempted.Kind.SUCCEEDED || attempt.kind() == Attempted.Kind.DEAD;
            done.add(DeliveryKey.of(attempt.delivery()));
            flowing.merge(Lane.of(attempt.delivery()), flows, Boolean::logicalAnd);
        }
        Map<Lane, DueDelivery> next = new HashMap<>();
        unsettled.values().stream()
                .filter((delivery) -> flowing.getOrDefault(Lane.of(delivery), false))
                .filter((delivery) -> !done.contains(DeliveryKey.of(delivery)))
                .forEach((delivery) -> next.merge(Lane.of(delivery), delivery, RetryBatch::earlier));
        return List.copyOf(next.values());
    }

    private static DueDelivery earlier(DueDelivery one, DueDelivery other) {
        return one.envelope().aggregateSeq() < other.envelope().aggregateSeq() ? one : other;
    }

    /** Counts how often PostgreSQL has refused to settle the batch as a whole. */
    int refused() {
        return ++refusals;
    }

    boolean isSettlingDue(Duration atMost) {
        synchronized (attempts) {
            return !attempts.isEmpty() && System.nanoTime() - settledAt > atMost.toNanos();
        }
    }

    /** Forgets attempts, which were the first of all, and what was untried, except for what is left over. */
    void settled(List<Attempted> written, List<DueDelivery> untried, Set<DeliveryKey> leftOver) {
        List<Attempted> left = new ArrayList<>();
        for (Attempted attempt : written) {
            DeliveryKey key = DeliveryKey.of(attempt.delivery());
            if (leftOver.contains(key)) {
                left.add(attempt);
            } else {
                unsettled.remove(key);
            }
        }
        untried.stream()
                .map(DeliveryKey::of)
                .filter((key) -> !leftOver.contains(key))
                .forEach(unsettled::remove);
        synchronized (attempts) {
            left.addAll(attempts.subList(written.size(), attempts.size()));
            attempts.clear();
            attempts.addAll(left);
            settledAt = System.nanoTime();
        }
    }

    List<DueDelivery> unsettled() {
        return List.copyOf(unsettled.values());
    }
}
