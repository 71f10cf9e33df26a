package dev.outbox.internal.poll;

import dev.outbox.internal.lease.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Claimed work with its unsettled outcomes. Worker threads add outcomes; only the loop thread changes other state. */
public abstract class Batch<W, O> {

    private final List<SerialQueue<W>> queues;
    private final AtomicInteger open;
    private final List<O> unsettled = new ArrayList<>();
    private final long claimedAt = System.nanoTime();
    private long settledAt = claimedAt;
    private boolean begun;
    private int refusals;

    protected Batch(List<SerialQueue<W>> queues) {
        this.queues = queues;
        this.open = new AtomicInteger(queues.size());
    }

    public abstract Lease lease();

    /** Returns the time since the claim. */
    public final Duration heldFor() {
        return Duration.ofNanos(System.nanoTime() - claimedAt);
    }

    /** Returns whether the claim took as much as it may. */
    public boolean isFull() {
        return false;
    }

    /** Returns whether the next batch is likely to be full too, and to have other aggregates: those of this one are not free before it is settled. */
    public boolean isSpread() {
        return false;
    }

    /** Returns whether the next batch need not wait for this one. */
    public boolean isWorthSettlingAsync() {
        return false;
    }

    public final List<SerialQueue<W>> queues() {
        return queues;
    }

    public final boolean isBegun() {
        return begun;
    }

    public final void begin() {
        begun = true;
    }

    /** Ends a queue: no thread works on it any more. */
    public final void complete(SerialQueue<W> queue) {
        if (queue.complete()) {
            open.decrementAndGet();
        }
    }

    /** Returns whether work is left to dispatch. */
    public final boolean hasNext() {
        return queues.stream().anyMatch(SerialQueue::hasNext);
    }

    /** Returns whether no thread works on the batch any more. */
    public final boolean isDispatched() {
        return open.get() == 0;
    }

    public void add(O outcome) {
        synchronized (unsettled) {
            unsettled.add(outcome);
        }
    }

    public final List<O> unsettled() {
        synchronized (unsettled) {
            return List.copyOf(unsettled);
        }
    }

    public final boolean isUnsettled() {
        synchronized (unsettled) {
            return !unsettled.isEmpty();
        }
    }

    public final boolean isUnsettledFor(Duration time) {
        synchronized (unsettled) {
            return !unsettled.isEmpty() && System.nanoTime() - settledAt > time.toNanos();
        }
    }

    /** Removes settled outcomes from the front of the list and keeps the left-over ones. Returns the removed outcomes. */
    public final List<O> removeSettled(List<O> outcomes, Predicate<O> leftOver) {
        List<O> settled = new ArrayList<>();
        List<O> left = new ArrayList<>();
        outcomes.forEach((outcome) -> (leftOver.test(outcome) ? left : settled).add(outcome));
        synchronized (unsettled) {
            left.addAll(unsettled.subList(outcomes.size(), unsettled.size()));
            unsettled.clear();
            unsettled.addAll(left);
            settledAt = System.nanoTime();
        }
        return settled;
    }

    /** Counts how often PostgreSQL has refused to settle the batch as a whole. */
    public final int countRefusal() {
        return ++refusals;
    }

    public final boolean isRefused() {
        return refusals > 0;
    }
}
