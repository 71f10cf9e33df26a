package dev.outbox.internal.poll;

import dev.outbox.internal.lease.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Claimed work with its unsettled outcomes. Worker threads add outcomes, and so does whatever brings one that comes later; only the loop
 * thread changes other state.
 */
public abstract class Batch<W, O> {

    private final List<SerialQueue<W>> queues;
    private final AtomicInteger open;

    /** Outcomes that come later. */
    private final AtomicInteger awaited = new AtomicInteger();

    private volatile Runnable wake = () -> {};
    private final List<O> unsettled = new ArrayList<>();
    private final long claimedAt = System.nanoTime();
    private long settledAt = claimedAt;
    private boolean begun;
    private boolean woken;
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

    /** Begins the work, with what to call when an outcome has come later. */
    public final void begin(Runnable whenArrived) {
        wake = whenArrived;
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

    /** Returns whether no thread works on the batch any more, and every outcome is known. */
    public final boolean isDispatched() {
        return open.get() == 0 && awaited.get() == 0;
    }

    /** Returns whether nothing is left to do but to wait for outcomes that come later. */
    public final boolean isAwaiting() {
        return open.get() == 0 && isAwaited();
    }

    public void add(O outcome) {
        synchronized (unsettled) {
            unsettled.add(outcome);
        }
    }

    /** Notes that an outcome comes later. */
    protected final void await() {
        awaited.incrementAndGet();
    }

    /** Notes that an outcome has come, and was added. Wakes the loop for the first since the last settlement, and for the last. */
    protected final void arrived() {
        boolean first;
        synchronized (unsettled) {
            first = !woken;
            woken = true;
        }
        if (awaited.decrementAndGet() == 0 || first) {
            wake.run();
        }
        synchronized (awaited) {
            awaited.notifyAll();
        }
    }

    /** Returns whether outcomes come later, and work may be left to dispatch. */
    public final boolean isAwaited() {
        return awaited.get() > 0;
    }

    /** Returns how many outcomes come later. */
    final int awaited() {
        return awaited.get();
    }

    /** Waits for the outcomes that come later, at most for the given time. */
    final void awaitOutcomes(Duration patience) throws InterruptedException {
        long until = System.nanoTime() + patience.toNanos();
        synchronized (awaited) {
            for (long left = patience.toNanos(); awaited.get() > 0 && left > 0; left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(awaited, left);
            }
        }
    }

    /** Returns the characters of the payloads, if the batch may hold up other work. */
    public long characters() {
        return 0;
    }

    /** Returns how long the outcomes that come later may hold up other work; empty if they hold up none. */
    public Optional<Duration> patience() {
        return Optional.empty();
    }

    /** Stops to hold up other work for outcomes that come later: the claim keeps their lanes, or gives them back. */
    public void letWait(boolean keepsLanes) {}

    /** Returns whether the batch holds work that it will not begin any more. */
    public boolean holdsUntried() {
        return false;
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
            woken = false;
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
