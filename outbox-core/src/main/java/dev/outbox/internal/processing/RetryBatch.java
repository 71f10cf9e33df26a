package dev.outbox.internal.processing;

import dev.outbox.internal.background.Lease;
import dev.outbox.internal.background.SerialQueue;
import dev.outbox.internal.delivery.AttemptedDelivery;
import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DueDelivery;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Claimed deliveries, in a queue for each lane; the thread that renews the lease asks what is unsettled. */
final class RetryBatch extends Batch<DueDelivery, AttemptedDelivery> {

    private final Map<DeliveryKey, DueDelivery> open = new ConcurrentHashMap<>();
    private final Set<DeliveryKey> lost = ConcurrentHashMap.newKeySet();
    private final Set<Lane> blocked = ConcurrentHashMap.newKeySet();
    private final Object suspectsPass;
    private @Nullable Lease lease;

    private record Lane(String handlerId, String aggregateType, String aggregateId) {

        static Lane of(DueDelivery delivery) {
            return new Lane(
                    delivery.handlerId(),
                    delivery.envelope().aggregateType(),
                    delivery.envelope().aggregateId());
        }
    }

    RetryBatch(List<DueDelivery> deliveries, Object suspectsPass, Queues queues) {
        super(queues(deliveries, queues));
        this.suspectsPass = suspectsPass;
        deliveries.forEach((delivery) -> open.put(DeliveryKey.of(delivery), delivery));
    }

    /** Decides which lanes of a handler share a queue. */
    @FunctionalInterface
    interface Queues {
        List<SerialQueue<DueDelivery>> of(String handlerId, Collection<List<DueDelivery>> lanes);
    }

    private static List<SerialQueue<DueDelivery>> queues(List<DueDelivery> deliveries, Queues queues) {
        Map<String, Map<Lane, List<DueDelivery>>> handlers = deliveries.stream()
                .collect(Collectors.groupingBy(
                        DueDelivery::handlerId,
                        LinkedHashMap::new,
                        Collectors.groupingBy(Lane::of, LinkedHashMap::new, Collectors.toList())));
        return handlers.entrySet().stream()
                .flatMap((handler) ->
                        queues.of(handler.getKey(), handler.getValue().values()).stream())
                .toList();
    }

    /** The pass under which the batch may hold crash suspects. */
    Object suspectsPass() {
        return suspectsPass;
    }

    void withLease(Lease kept) {
        this.lease = kept;
    }

    @Override
    Lease lease() {
        Lease kept = lease;
        if (kept == null) {
            throw new IllegalStateException("the batch has no lease yet");
        }
        return kept;
    }

    /** Notes which deliveries are still this worker's; returns whether any is. */
    boolean keep(List<DueDelivery> asked, Set<DeliveryKey> held) {
        asked.stream().map(DeliveryKey::of).filter((key) -> !held.contains(key)).forEach(lost::add);
        return !held.isEmpty();
    }

    /** Returns the unsettled deliveries that are still leased. */
    List<DueDelivery> held() {
        return open().stream().filter((delivery) -> !isLost(delivery)).toList();
    }

    @Override
    boolean isLost(DueDelivery delivery) {
        return lost.contains(DeliveryKey.of(delivery));
    }

    /** Makes the later deliveries of a lane wait. */
    void block(DueDelivery delivery) {
        blocked.add(Lane.of(delivery));
    }

    /** Returns whether a delivery must not be attempted: an earlier one of its lane has failed, or another worker may have it. */
    boolean waits(DueDelivery delivery) {
        if (isLost(delivery)) {
            block(delivery);
        }
        return blocked.contains(Lane.of(delivery));
    }

    /** Returns the unsettled deliveries. */
    List<DueDelivery> open() {
        return List.copyOf(open.values());
    }

    /** Returns the deliveries not attempted yet. */
    List<DueDelivery> untried() {
        Set<DeliveryKey> attempted = new HashSet<>();
        unsettled().forEach((attempt) -> attempted.add(attempt.key()));
        return open.values().stream()
                .filter((delivery) -> !attempted.contains(DeliveryKey.of(delivery)))
                .toList();
    }

    /** The next delivery of each lane that all of these attempts let pass. */
    List<DueDelivery> nextAfter(List<AttemptedDelivery> attempts) {
        Set<DeliveryKey> done = new HashSet<>();
        Map<Lane, Boolean> passing = new HashMap<>();
        for (AttemptedDelivery attempt : attempts) {
            boolean passes = !attempt.outcome().blocksLane();
            done.add(attempt.key());
            passing.merge(Lane.of(attempt.delivery()), passes, Boolean::logicalAnd);
        }
        Map<Lane, DueDelivery> next = new HashMap<>();
        open.values().stream()
                .filter((delivery) -> passing.getOrDefault(Lane.of(delivery), false))
                .filter((delivery) -> !done.contains(DeliveryKey.of(delivery)))
                .forEach((delivery) -> next.merge(Lane.of(delivery), delivery, RetryBatch::earlier));
        return List.copyOf(next.values());
    }

    private static DueDelivery earlier(DueDelivery one, DueDelivery other) {
        return one.envelope().aggregateSeq() < other.envelope().aggregateSeq() ? one : other;
    }

    /** Forgets what was written or given back, except for what is left over. */
    void settled(List<AttemptedDelivery> attempts, List<DueDelivery> untried, Set<DeliveryKey> leftOver) {
        removeSettled(attempts, (attempt) -> leftOver.contains(attempt.key()))
                .forEach((attempt) -> open.remove(attempt.key()));
        untried.stream()
                .map(DeliveryKey::of)
                .filter((key) -> !leftOver.contains(key))
                .forEach(open::remove);
    }

    @Override
    public String toString() {
        return open.size() + " redelivered events";
    }
}
