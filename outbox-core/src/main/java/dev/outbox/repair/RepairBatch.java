package dev.outbox.repair;

import dev.outbox.dispatch.Outcome;
import dev.outbox.duty.Lease;
import dev.outbox.store.DeliverySettleStore.Attempted;
import dev.outbox.store.DueDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Claimed deliveries on their way. Its lease is renewed by another thread, which asks what is still unsettled. */
final class RepairBatch {

    private final List<DueDelivery> deliveries;
    private final List<Attempted> attempts = new ArrayList<>();
    private final List<DueDelivery> untried = new ArrayList<>();
    private final Set<Lane> stopped = new HashSet<>();
    private @Nullable Lease lease;
    private int next;
    private volatile int settledUpTo;
    private long settledAt = System.nanoTime();

    /** What one handler has to do for one aggregate, in order. */
    private record Lane(String handlerId, String aggregateType, String aggregateId) {

        static Lane of(DueDelivery delivery) {
            return new Lane(
                    delivery.handlerId(),
                    delivery.envelope().aggregateType(),
                    delivery.envelope().aggregateId());
        }
    }

    RepairBatch(List<DueDelivery> deliveries) {
        this.deliveries = List.copyOf(deliveries);
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

    /** Passes over what waits behind a failure. */
    boolean hasNext() {
        while (next < deliveries.size() && stopped.contains(Lane.of(deliveries.get(next)))) {
            untried.add(deliveries.get(next));
            next++;
        }
        return next < deliveries.size();
    }

    DueDelivery next() {
        return deliveries.get(next);
    }

    void add(Outcome outcome) {
        DueDelivery delivery = next();
        next++;
        if (outcome instanceof Outcome.Failed failed) {
            attempts.add(new Attempted(delivery, Attempted.Kind.FAILED, failed.retryIn(), failed.failure()));
            stopped.add(Lane.of(delivery));
        } else if (outcome instanceof Outcome.Dead dead) {
            attempts.add(new Attempted(delivery, Attempted.Kind.DEAD, Duration.ZERO, dead.failure()));
        } else {
            attempts.add(new Attempted(delivery, Attempted.Kind.SUCCEEDED, Duration.ZERO, null));
        }
    }

    /** Leaves the rest untried. */
    void stop() {
        untried.addAll(deliveries.subList(next, deliveries.size()));
        next = deliveries.size();
    }

    List<DueDelivery> untried() {
        return List.copyOf(untried);
    }

    List<Attempted> attempts() {
        return List.copyOf(attempts);
    }

    boolean isSettlingDue(Duration atMost) {
        return System.nanoTime() - settledAt > atMost.toNanos();
    }

    void settled() {
        attempts.clear();
        untried.clear();
        settledUpTo = next;
        settledAt = System.nanoTime();
    }

    boolean isOver() {
        return settledUpTo == deliveries.size();
    }

    List<DueDelivery> unsettled() {
        return deliveries.subList(settledUpTo, deliveries.size());
    }
}
