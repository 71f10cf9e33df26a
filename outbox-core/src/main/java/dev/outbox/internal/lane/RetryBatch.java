package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.dispatch.LogContext;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.lease.Lease;
import dev.outbox.internal.poll.Batch;
import dev.outbox.internal.poll.SerialQueue;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Claimed deliveries, in a queue for each lane. */
final class RetryBatch extends Batch<DueDelivery, RetryBatch.Attempted> {

    private final Map<DeliveryKey, DueDelivery> open = new ConcurrentHashMap<>();
    private final Set<Lane> blocked = ConcurrentHashMap.newKeySet();

    /** Deliveries whose outcomes come later. */
    private final Set<DeliveryKey> awaited = ConcurrentHashMap.newKeySet();

    private final ClaimKey claim;
    private final Lease lease;
    private final Object suspectsPass;

    /** Identifies a delivery. */
    record DeliveryKey(long outboxId, String handlerId) {

        static DeliveryKey of(DueDelivery delivery) {
            return new DeliveryKey(delivery.envelope().id(), delivery.handlerId());
        }
    }

    /** Delivery with its outcome. */
    record Attempted(DueDelivery delivery, DeliveryOutcome outcome) {

        DeliveryKey key() {
            return DeliveryKey.of(delivery);
        }
    }

    RetryBatch(List<DueDelivery> deliveries, List<SerialQueue<DueDelivery>> queues, Lease lease, Object suspectsPass) {
        super(queues);
        this.claim = deliveries.get(0).claim();
        this.lease = lease;
        this.suspectsPass = suspectsPass;
        deliveries.forEach((delivery) -> open.put(DeliveryKey.of(delivery), delivery));
    }

    /** The pass under which the batch may hold crash suspects. */
    Object suspectsPass() {
        return suspectsPass;
    }

    @Override
    public Lease lease() {
        return lease;
    }

    /** Returns the claim that has the lanes. */
    ClaimKey claim() {
        return claim;
    }

    /** Waits for an outcome that comes later. Behind a failure, the delivery was not attempted. */
    void await(DueDelivery delivery, DeliveryOutcome later) {
        awaited.add(DeliveryKey.of(delivery));
        await();
        CompletableFuture<Void> unused = later.known().thenAccept((outcome) -> arrived(delivery, outcome));
    }

    private void arrived(DueDelivery delivery, DeliveryOutcome outcome) {
        synchronized (awaited) {
            if (!awaited.contains(DeliveryKey.of(delivery))) {
                return;
            }
            if (!outcome.isUnattempted()) {
                add(new Attempted(delivery, outcome));
            }
            awaited.remove(DeliveryKey.of(delivery));
        }
        arrived();
    }

    /** Keeps its lanes as long as the process does. */
    @Override
    public void letWait(boolean keepsLanes) {
        List<DeliveryKey> givenBack = List.of();
        synchronized (awaited) {
            if (!keepsLanes) {
                givenBack = List.copyOf(awaited);
                awaited.clear();
            }
        }
        givenBack.forEach((key) -> arrived());
    }

    @Override
    public boolean holdsUntried() {
        return !untried().isEmpty();
    }

    /** Makes the later deliveries of a lane wait. */
    void block(DueDelivery delivery) {
        blocked.add(Lane.of(delivery));
    }

    /** Returns whether a delivery must not be attempted, because an earlier one of its lane has failed. */
    boolean waits(DueDelivery delivery) {
        return blocked.contains(Lane.of(delivery));
    }

    /** Returns the unsettled deliveries. */
    List<DueDelivery> open() {
        return List.copyOf(open.values());
    }

    /** Returns the deliveries not attempted yet, and not awaited. An outcome is added before it is awaited no more. */
    List<DueDelivery> untried() {
        Set<DeliveryKey> attempted = new HashSet<>(awaited);
        unsettled().forEach((attempt) -> attempted.add(attempt.key()));
        return open.values().stream()
                .filter((delivery) -> !attempted.contains(DeliveryKey.of(delivery)))
                .toList();
    }

    /** Returns the lanes of which deliveries are left to attempt after these attempts, none of which blocks its lane, without those given back. */
    Set<Lane> keptAfter(List<Attempted> attempts, List<DueDelivery> untried) {
        Set<DeliveryKey> done = attempts.stream().map(Attempted::key).collect(Collectors.toSet());
        untried.stream().map(DeliveryKey::of).forEach(done::add);
        Set<Lane> blocking = attempts.stream()
                .filter((attempt) -> attempt.outcome().blocksLane())
                .map((attempt) -> Lane.of(attempt.delivery()))
                .collect(Collectors.toSet());
        return open.values().stream()
                .filter((delivery) -> !done.contains(DeliveryKey.of(delivery)))
                .map(Lane::of)
                .filter((lane) -> !blocking.contains(lane))
                .collect(Collectors.toSet());
    }

    /** Forgets what was written or given back, except for what is left over. A failure gives its lane back. */
    void settled(List<Attempted> attempts, List<DueDelivery> untried, Set<DeliveryKey> leftOver) {
        Set<Lane> givenBack = new HashSet<>();
        for (Attempted attempt : removeSettled(attempts, (attempt) -> leftOver.contains(attempt.key()))) {
            open.remove(attempt.key());
            if (attempt.outcome().blocksLane()) {
                givenBack.add(Lane.of(attempt.delivery()));
            }
        }
        open.values().removeIf((delivery) -> givenBack.contains(Lane.of(delivery)));
        untried.stream()
                .map(DeliveryKey::of)
                .filter((key) -> !leftOver.contains(key))
                .forEach(open::remove);
    }

    @Override
    public String toString() {
        return open.size() + " redelivered events: "
                + LogContext.describe(
                        open.values().stream().map(DueDelivery::envelope).toList());
    }
}
