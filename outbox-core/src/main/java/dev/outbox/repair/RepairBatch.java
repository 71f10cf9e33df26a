package dev.outbox.repair;

import dev.outbox.dispatch.Outcome;
import dev.outbox.duty.Lease;
import dev.outbox.store.DeliverySettleStore.Attempted;
import dev.outbox.store.DueDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Claimed deliveries on their way. Its lease is renewed by another thread, which asks what is still unsettled. */
final class RepairBatch {

    private final List<DueDelivery> deliveries;
    private final List<Attempted> attempts = new ArrayList<>();
    private @Nullable Lease lease;
    private int next;
    private volatile int settledUpTo;
    private long settledAt = System.nanoTime();

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

    boolean hasNext() {
        return next < deliveries.size();
    }

    DueDelivery next() {
        return deliveries.get(next);
    }

    List<DueDelivery> remaining() {
        return deliveries.subList(next, deliveries.size());
    }

    void add(Outcome outcome) {
        DueDelivery delivery = next();
        next++;
        if (outcome instanceof Outcome.Failed failed) {
            attempts.add(new Attempted(delivery, Attempted.Kind.FAILED, failed.retryIn(), failed.failure()));
        } else if (outcome instanceof Outcome.Dead dead) {
            attempts.add(new Attempted(delivery, Attempted.Kind.DEAD, Duration.ZERO, dead.failure()));
        } else {
            attempts.add(new Attempted(delivery, Attempted.Kind.SUCCEEDED, Duration.ZERO, null));
        }
    }

    List<Attempted> attempts() {
        return List.copyOf(attempts);
    }

    boolean isSettlingDue(Duration atMost) {
        return System.nanoTime() - settledAt > atMost.toNanos();
    }

    void settled() {
        attempts.clear();
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
