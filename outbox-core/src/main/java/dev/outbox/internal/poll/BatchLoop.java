package dev.outbox.internal.poll;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.poll.BatchSource.Claimed;
import dev.outbox.internal.poll.BatchSource.Mode;
import dev.outbox.internal.poll.BatchSource.Settled;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims batches, dispatches them on its own thread or on a pool, and settles them; repeats what failed in the next round. Without a pool
 * (concurrency 1) the loop thread dispatches. Only then can it claim one batch ahead, and settle one on a thread of its own. It then gives way
 * after a second, in the middle of a batch too: the caller has another loop, whose work waits meanwhile.
 */
public final class BatchLoop<B extends Batch<W, ?>, W> {

    private static final Logger log = LoggerFactory.getLogger(BatchLoop.class);

    /** Upper bound on the work repeated after a crash, and on a turn of a loop without a pool; a call that runs longer ends it. */
    public static final Duration LONGEST_UNSETTLED = Duration.ofSeconds(1);

    /** Releases finished aggregates early, so that a slow one does not hold them. */
    public static final Duration LONGEST_UNSETTLED_BESIDE_OTHERS = Duration.ofMillis(50);

    private static final Duration LOCKED_RETRY_INTERVAL = Duration.ofMillis(500);

    /** Bounds the outcomes that come later, of claims that hold up other work meanwhile. A claim may exceed it. */
    private static final int MOST_AWAITED = 4000;

    /** Bounds the memory of these claims: as much as four of them may take. */
    private static final long MOST_AWAITED_CHARACTERS = 32L << 20;

    private static final int REFUSALS_BEFORE_ISOLATION = 3;

    private final String name;
    private final BatchSource<B, W> source;
    private final @Nullable BackgroundCall<Settled> settler;
    private final WorkerPool.@Nullable Share workers;
    private final Runnable wake;
    private final Runnable arrived;
    private final List<B> batches = new ArrayList<>();

    /** Batches with rows that another session holds locked: their aggregates wait, and nothing else does. */
    private final List<B> locked = new ArrayList<>();

    private long lockedRetriedAt = System.nanoTime();

    /** Batch that the settler settles, or whose settlement was not looked at yet. */
    private @Nullable B settling;

    private long begunAt = System.nanoTime();
    private boolean crowded;
    private boolean gaveWay;

    /** Whether the last claim ran beside open batches: it has left out what follows in their aggregates. */
    private boolean leftOut;

    private boolean freed;
    private boolean finishing;

    public BatchLoop(String name, BatchSource<B, W> source, WorkerPool.@Nullable Share workers, Runnable wake) {
        this(name, source, workers, wake, wake);
    }

    /** Creates a loop with what to call when a thread of the pool is free, and when an outcome has come later. */
    public BatchLoop(
            String name,
            BatchSource<B, W> source,
            WorkerPool.@Nullable Share workers,
            Runnable wake,
            Runnable arrived) {
        this.name = name;
        this.source = source;
        // Settles one batch while the next is claimed. The database has fenced what an abandoned settlement writes.
        this.settler =
                source instanceof Prefetch ? new BackgroundCall<>("outbox-settler-" + name, (settled) -> {}) : null;
        this.workers = workers;
        this.wake = wake;
        this.arrived = arrived;
    }

    /** Creates a loop that dispatches on its own thread, claims one batch ahead, and settles one on another thread. */
    public static <B extends Batch<W, ?>, W> BatchLoop<B, W> prefetching(
            String name, BatchSource<B, W> source, Duration lease, Runnable arrived) {
        return new BatchLoop<>(name, new Prefetch<>(source, name, lease), null, arrived);
    }

    /** Advances the batches, and claims another if there is room. */
    public Claimed<B> runOnce(BooleanSupplier closing) throws SQLException {
        begunAt = System.nanoTime();
        gaveWay = false;
        advanceAll(closing);
        crowded = !hasRoom();
        Claimed<B> claimed =
                closing.getAsBoolean() || crowded || isTurnOver() ? Claimed.nothing(false) : claim(closing);
        gaveWay = isTurnOver();
        return claimed;
    }

    /** Advances the batches, without a claim. Returns whether that has freed what the last claim has left out. */
    public boolean settle(BooleanSupplier closing) throws SQLException {
        begunAt = System.nanoTime();
        freed = false;
        advanceAll(closing);
        finishAsync();
        return freed && leftOut;
    }

    private void advanceAll(BooleanSupplier closing) throws SQLException {
        retryLocked();
        for (B batch : List.copyOf(batches)) {
            if (batch != settling) {
                advance(batch, closing);
            }
        }
    }

    private Claimed<B> claim(BooleanSupplier closing) throws SQLException {
        leftOut = !batches.isEmpty();
        Claimed<B> claimed = source.claim(settling != null);
        B batch = claimed.batch();
        if (batch == null) {
            finishAsync();
        } else {
            batches.add(batch);
            advance(batch, closing);
        }
        return claimed;
    }

    private boolean isTurnOver() {
        return workers == null && System.nanoTime() - begunAt > LONGEST_UNSETTLED.toNanos();
    }

    /** Returns whether the last round ended because its second was over; there may be more to do. */
    public boolean gaveWay() {
        return gaveWay;
    }

    /** Returns whether the last round could not claim, because of the batches before. */
    public boolean isCrowded() {
        return crowded;
    }

    /** Returns whether there is more to do than to wait for outcomes that come later. */
    public boolean isBusy() {
        return batches.stream().anyMatch(BatchLoop::needsTurn) || !locked.isEmpty();
    }

    private static boolean needsTurn(Batch<?, ?> batch) {
        return !batch.isAwaiting()
                || batch.isUnsettled()
                || batch.holdsUntried()
                || batch.lease().isGone();
    }

    /** Returns whether a pool may add outcomes without waking the loop. */
    public boolean isRunning() {
        return batches.stream().anyMatch((batch) -> !batch.isAwaiting());
    }

    /** Returns the delay until unsettled outcomes must be written. */
    public Optional<Duration> lookAgainIn() {
        if (batches.stream().anyMatch(Batch::isUnsettled)) {
            return Optional.of(LONGEST_UNSETTLED_BESIDE_OTHERS);
        }
        Optional<Duration> patience = batches.stream()
                .filter(Batch::isAwaited)
                .map(Batch::patience)
                .flatMap(Optional::stream)
                .min(Duration::compareTo);
        return patience.isPresent() || locked.isEmpty() ? patience : Optional.of(LOCKED_RETRY_INTERVAL);
    }

    /** Takes over a batch of which nothing is left to do but to wait for outcomes that come later. */
    public void adopt(B batch) {
        batch.begin(arrived);
        batches.add(batch);
    }

    /** Returns whether outcomes come later. */
    public boolean isAwaiting() {
        return batches.stream().anyMatch(Batch::isAwaiting);
    }

    /** Waits for outcomes that come later, at most for the given time. The loop must not run meanwhile. */
    public void awaitOutcomes(Duration patience) throws InterruptedException {
        long begun = System.nanoTime();
        for (B batch : batches) {
            batch.awaitOutcomes(patience.minusNanos(System.nanoTime() - begun));
        }
    }

    /** Settles what is done and gives back the rest, when no thread dispatches any more. What fails keeps no other batch from its end. */
    public void finish() {
        finishing = true;
        try {
            source.close();
        } catch (Throwable ex) {
            log.debug("A claim of {} failed while it was being stopped", name, ex);
        }
        try {
            finishAsync();
        } catch (Throwable ex) {
            log.debug("A settlement of {} failed; it is repeated", name, ex);
        }
        List<B> open = new ArrayList<>(batches);
        open.addAll(locked);
        open.forEach(this::finish);
    }

    private void finish(B batch) {
        batch.letWait(false);
        try {
            settle(batch, true);
            if (locked.contains(batch)) {
                batch.lease().release();
            }
        } catch (Throwable ex) {
            log.warn(
                    "The last outcomes in stream {} could not be written; the events are delivered again when their lease expires: {}",
                    name,
                    batch,
                    ex);
        } finally {
            end(batch);
        }
    }

    private void retryLocked() throws SQLException {
        if (!locked.isEmpty() && System.nanoTime() - lockedRetriedAt > LOCKED_RETRY_INTERVAL.toNanos()) {
            for (B batch : List.copyOf(locked)) {
                settle(batch, true);
            }
            lockedRetriedAt = System.nanoTime();
        }
    }

    private boolean hasRoom() {
        List<B> active = batches.stream().filter((batch) -> !batch.isAwaiting()).toList();
        boolean room = workers == null
                ? active.stream().allMatch((batch) -> batch == settling)
                : workers.hasRoom() && active.size() <= workers.size();
        List<B> holding = batches.stream().filter(BatchLoop::holdsUpOthers).toList();
        return room
                && holding.stream().mapToInt(Batch::awaited).sum() < MOST_AWAITED
                && holding.stream().mapToLong(Batch::characters).sum() < MOST_AWAITED_CHARACTERS;
    }

    private static boolean holdsUpOthers(Batch<?, ?> batch) {
        return batch.isAwaiting() && batch.patience().isPresent();
    }

    private void advance(B batch, BooleanSupplier closing) throws SQLException {
        if (!batch.isBegun()) {
            source.begin(batch);
            batch.begin(arrived);
            if (workers != null) {
                workers.work(
                        batch.queues(), (queue) -> dispatchOnPool(batch, queue, workers, closing), batch::complete);
            }
        }
        if (workers == null) {
            dispatchHere(batch, closing);
        }
        if (!batches.contains(batch)) {
            return;
        }
        if (batch.isAwaited()
                && batch.patience()
                        .filter((left) -> left.isNegative() || left.isZero())
                        .isPresent()) {
            batch.letWait(true);
        }
        if (!batch.isDispatched()) {
            if (batch.isUnsettledFor(LONGEST_UNSETTLED_BESIDE_OTHERS)
                    || (batch.isAwaiting()
                            && (batch.holdsUntried() || batch.lease().isGone()))) {
                settle(batch, false);
            }
        } else if (!settleAsync(batch)) {
            finishAsync();
            settle(batch, true);
        }
    }

    /** Ends with the turn; the batch stays open, and {@link #advance} settles what is done. */
    private void dispatchHere(B batch, BooleanSupplier closing) {
        for (SerialQueue<W> queue : batch.queues()) {
            while (dispatchNext(batch, queue, closing)) {
                if (isTurnOver() && batch.hasNext()) {
                    return;
                }
            }
            batch.complete(queue);
        }
    }

    private void dispatchOnPool(B batch, SerialQueue<W> queue, WorkerPool.Share pool, BooleanSupplier closing) {
        try {
            while (dispatchNext(batch, queue, closing)) {
                if (batch.isUnsettledFor(LONGEST_UNSETTLED)) {
                    wake.run();
                }
            }
        } finally {
            batch.complete(queue);
            if (batch.isDispatched() || batch.isAwaited() || pool.isIdle()) {
                wake.run();
            }
        }
    }

    private boolean dispatchNext(B batch, SerialQueue<W> queue, BooleanSupplier closing) {
        if (!queue.hasNext()) {
            return false;
        }
        LeaseGuard guard = new LeaseGuard(batch.lease(), closing);
        return !guard.isOver() && source.dispatch(batch, queue, guard);
    }

    private boolean settleAsync(B batch) throws SQLException {
        if (settler == null || !batch.isWorthSettlingAsync()) {
            return false;
        }
        finishAsync();
        boolean begun = settler.begin(() -> write(batch, true, Mode.BATCH));
        settling = begun ? batch : null;
        return begun;
    }

    private void finishAsync() throws SQLException {
        B batch = settling;
        if (batch != null && settler != null) {
            settling = null;
            applyResult(
                    batch, true, settler.result(() -> batch.lease().isLost()).orElseGet(() -> {
                        log.warn(
                                "A settlement in stream {} did not return before its lease ended; its events may be delivered again: {}",
                                name,
                                batch);
                        return Settled.LEASE_LOST;
                    }));
        }
    }

    private void settle(B batch, boolean last) throws SQLException {
        applyResult(batch, last, write(batch, last, locked.contains(batch) ? Mode.SKIP_LOCKED : Mode.BATCH));
    }

    /** A stream never stops for one outcome: a batch that is refused again and again is settled one by one. */
    private Settled write(B batch, boolean last, Mode mode) throws SQLException {
        batch.lease().settling();
        try {
            return source.settle(batch, last, mode);
        } catch (SQLException | RuntimeException | Error ex) {
            if (!needsIsolation(batch, ex)) {
                throw ex;
            }
            return source.settle(batch, last, Mode.ISOLATED);
        } finally {
            batch.lease().settled();
        }
    }

    /** A batch that takes too long as a whole may end one by one; that refuses no outcome. */
    private boolean needsIsolation(B batch, Throwable ex) {
        boolean refused = Causes.isRefusal(ex);
        if (!refused && !Causes.isTooLong(ex)) {
            return false;
        }
        return batch.countRefusal() >= REFUSALS_BEFORE_ISOLATION || (refused && finishing);
    }

    private void applyResult(B batch, boolean last, Settled settled) {
        freed = true;
        if (settled == Settled.LEASE_LOST) {
            batch.queues().forEach(SerialQueue::skipRest);
            end(batch);
        } else if (last && settled == Settled.ALL) {
            end(batch);
        } else if (last && batches.remove(batch)) {
            log.warn(
                    "Could not settle some events in stream {}: their rows are locked or PostgreSQL refused the outcome;"
                            + " retrying every 500 ms, their aggregates are blocked; {}",
                    name,
                    batch);
            locked.add(batch);
        }
    }

    private void end(B batch) {
        batch.lease().close();
        batches.remove(batch);
        locked.remove(batch);
    }
}
