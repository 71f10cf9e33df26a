package dev.outbox.internal.runtime;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.claim.FirstDeliveries;
import dev.outbox.internal.dispatch.StreamDependencies;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.RetryLanes;
import dev.outbox.internal.notify.Notifications;
import dev.outbox.internal.poll.BatchLoop;
import dev.outbox.internal.poll.BatchSource;
import dev.outbox.internal.poll.PollerSettings.PolledStream;
import dev.outbox.internal.poll.WorkerPool;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls one stream: alternates first deliveries and redeliveries, without pause while work is available. The claim of first deliveries also
 * reports when the next redelivery is due. Slow handlers of one kind do not hold up the other: without a pool, each gives way after a second;
 * with a pool, free threads take turns, and redeliveries leave one thread.
 *
 * <p>The path of an event: a commit wakes the poller ({@code publish.AfterCommit}). {@link FirstDeliveries} claims events, in an aggregate in
 * their order ({@code claim.sql}); without a pool, {@code Prefetch} claims the next batch while one is handled. {@link BatchLoop} hands each
 * to {@code Dispatcher}, which finds its handlers in {@code HandlerRoutes}, and calls each by an {@code Invocation}; {@code FailedAttempts}
 * makes a failure an outcome. {@code FirstDeliveries} settles the batch: an event is history, or its open deliveries are queued in lanes
 * ({@code queue.sql}). {@link RetryLanes} claims due lanes ({@code claim-lanes.sql}) for the same loop and dispatcher, and settles them
 * ({@code settle-lanes.sql}): a delivery succeeds, waits for its next attempt, or is dead.
 */
final class StreamPoller implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StreamPoller.class);

    private static final Duration UNTIL_WOKEN = Duration.ofHours(1);

    private final PolledStream stream;
    private final FirstDeliveries first;
    private final BatchLoop<?, ?> firstDeliveries;
    private final BatchLoop<?, ?> retries;
    private final BackgroundLoop loop;
    private final @Nullable WorkerPool workers;
    private boolean retriesInterrupted;
    private long retriedAt = System.nanoTime();

    /** When the current round began, as a value of {@link System#nanoTime}; null between rounds. */
    private volatile @Nullable Long roundBegunAt;

    private volatile boolean crowded;

    /** Whether something else than outcomes that came later asks for a round. */
    private final AtomicBoolean claims = new AtomicBoolean(true);

    /** When the next round claims in any case, as a value of {@link System#nanoTime}. */
    private long claimsAt = System.nanoTime();

    private long stirredAt = System.nanoTime();
    private boolean quiet;

    /** Creates a poller that has not started; without workers, its own thread runs the handlers. */
    StreamPoller(PolledStream stream, StreamDependencies dependencies, @Nullable WorkerPool workers) {
        this.stream = stream;
        this.workers = workers;
        this.loop = new BackgroundLoop("outbox-poller-" + stream.name(), dependencies.dataSource(), this::round);
        RetryLanes lanes = new RetryLanes(stream, dependencies);
        this.first = new FirstDeliveries(stream, dependencies, lanes, workers != null);
        this.firstDeliveries =
                first.loop(workers == null ? null : workers.share(workers.size()), this::claimSoon, loop::wake);
        this.retries = lanes.loop(workers == null ? null : workers.share(workers.size() - 1), this::claimSoon);
    }

    void start() {
        log.debug(
                "Polling stream {}: interval {} ms, batch size {}, concurrency {}",
                stream.name(),
                stream.settings().interval().toMillis(),
                stream.settings().batchSize(),
                stream.settings().concurrency());
        loop.start();
    }

    /** Makes the poller start a round at once. */
    void wake() {
        stir();
        claimSoon();
    }

    private void claimSoon() {
        claims.set(true);
        loop.wake();
    }

    /** Makes the poller start a round after this one, or within the given time if it rests. */
    void wakeWithin(Duration delay) {
        stir();
        if (roundBegunAt != null) {
            claimSoon();
        } else {
            claims.set(true);
            loop.wakeWithin(delay);
        }
    }

    /** Returns whether the poller will claim in a moment if it is woken, as far as one can tell. */
    boolean claimsSoon() {
        Long begun = roundBegunAt;
        return !crowded
                && !loop.isClosing()
                && (begun == null || System.nanoTime() - begun < Notifications.MOMENT.toNanos());
    }

    private Duration round() throws SQLException {
        roundBegunAt = System.nanoTime();
        try {
            return needsClaim() ? runOnce() : settle();
        } finally {
            crowded = firstDeliveries.isCrowded();
            roundBegunAt = null;
        }
    }

    /** Outcomes that came later need no claim, unless the last round could not claim, or retries wait for them. */
    private boolean needsClaim() {
        return claims.getAndSet(false)
                || System.nanoTime() - claimsAt >= 0
                || firstDeliveries.isCrowded()
                || retries.isAwaiting()
                || retries.isBusy();
    }

    /** Settles outcomes that came later. A claim follows if they freed or queued something. */
    private Duration settle() throws SQLException {
        long next = claimsAt;
        claimsAt = System.nanoTime();
        if (firstDeliveries.settle(loop::isClosing) || first.takeQueuedFlag()) {
            return Duration.ZERO;
        }
        claimsAt = next;
        return untilSettlement(Duration.ofNanos(next - System.nanoTime()));
    }

    /**
     * Notes whether a look that began at the given time found nothing in the stream, while wake-ups arrive. Until something stirs it, the
     * poller then claims at the next due time only, rather than at its interval.
     */
    void looked(boolean nothing, long begun) {
        boolean wakes;
        synchronized (this) {
            wakes = quiet && !nothing;
            quiet = nothing && stirredAt - begun < 0;
        }
        if (wakes) {
            claimSoon();
        }
    }

    private synchronized void stir() {
        stirredAt = System.nanoTime();
        quiet = false;
    }

    private synchronized Duration idle() {
        return quiet ? UNTIL_WOKEN : stream.settings().interval();
    }

    /** Runs one round on the calling thread and returns the time until the next. Not to be called while the poller is started. */
    Duration runOnce() throws SQLException {
        claimsAt = System.nanoTime();
        BatchSource.Claimed<?> claimed = turn(firstDeliveries, retries);
        boolean due = claimed.untilRedelivery()
                .filter((until) -> until.isNegative() || until.isZero())
                .isPresent();
        boolean retry = due || retriesInterrupted || retries.isBusy() || retries.gaveWay() || mayHideRetries();
        boolean moreRetries = retry && !loop.isClosing() && retry();
        boolean hasQueued = first.takeQueuedFlag();
        boolean gaveWay = firstDeliveries.gaveWay() || retries.gaveWay();
        boolean again = claimed.more() || hasQueued || moreRetries || gaveWay;
        if (again || claimed.batch() != null) {
            stir();
        }
        if (again) {
            return Duration.ZERO;
        }
        Duration untilClaim = Stream.of(
                        Optional.of(idle()),
                        claimed.untilRedelivery().filter((until) -> !due),
                        claimed.lookAgainIn(),
                        firstDeliveries.isCrowded()
                                ? Optional.of(BatchLoop.LONGEST_UNSETTLED)
                                : Optional.<Duration>empty(),
                        retries.isRunning()
                                ? Optional.of(BatchLoop.LONGEST_UNSETTLED_BESIDE_OTHERS)
                                : retries.lookAgainIn())
                .flatMap(Optional::stream)
                .min(Duration::compareTo)
                .orElseThrow();
        claimsAt = System.nanoTime() + untilClaim.toNanos();
        return untilSettlement(untilClaim);
    }

    private Duration untilSettlement(Duration untilClaim) {
        return firstDeliveries
                .lookAgainIn()
                .filter((look) -> look.compareTo(untilClaim) < 0)
                .orElse(untilClaim);
    }

    /** First deliveries that could not claim do not know whether a redelivery is due: then, retries claim once a second. */
    private boolean mayHideRetries() {
        return firstDeliveries.gaveWay()
                || (firstDeliveries.isCrowded()
                        && System.nanoTime() - retriedAt > BatchLoop.LONGEST_UNSETTLED.toNanos());
    }

    /** Repeats a failed round even if nothing is due, because it holds unwritten outcomes. */
    private boolean retry() throws SQLException {
        retriesInterrupted = true;
        boolean more = turn(retries, firstDeliveries).more();
        retriesInterrupted = false;
        retriedAt = System.nanoTime();
        return more;
    }

    /** Runs a loop; for up to a second if the other one has used up its own, or one quick batch would have to do beside each slow call. */
    private BatchSource.Claimed<?> turn(BatchLoop<?, ?> own, BatchLoop<?, ?> other) throws SQLException {
        long begun = System.nanoTime();
        BatchSource.Claimed<?> claimed = own.runOnce(loop::isClosing);
        while (other.gaveWay()
                && claimed.more()
                && !loop.isClosing()
                && System.nanoTime() - begun < BatchLoop.LONGEST_UNSETTLED.toNanos()) {
            claimed = own.runOnce(loop::isClosing);
        }
        return claimed;
    }

    /** Returns whether the last round failed. */
    boolean isFailing() {
        return loop.isFailing();
    }

    /** Returns how long running handlers may take to finish when the poller is closed. */
    Duration shutdownTimeout() {
        return stream.settings().shutdownTimeout();
    }

    /** Stops claiming after the event that is being handled; returns at once. */
    void stopSoon() {
        loop.stopSoon();
    }

    /** Stops claiming, and waits for the handlers that run, and for outcomes that come later. */
    boolean endsWithin(Duration patience) {
        long begun = System.nanoTime();
        loop.stopSoon();
        boolean idle = workers == null || workers.endsWithin(patience);
        if (!loop.endsWithin(patience.minusNanos(System.nanoTime() - begun)) || !idle) {
            return false;
        }
        awaitOutcomes(patience.minusNanos(System.nanoTime() - begun));
        return true;
    }

    /** Waits for outcomes that come later. Returns whether there were any, and all have come. */
    boolean awaitOutcomes(Duration patience) {
        boolean awaits = isAwaiting();
        long begun = System.nanoTime();
        try {
            firstDeliveries.awaitOutcomes(patience);
            retries.awaitOutcomes(patience.minusNanos(System.nanoTime() - begun));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        return awaits && !isAwaiting();
    }

    /** Returns whether outcomes come later. */
    boolean isAwaiting() {
        return firstDeliveries.isAwaiting() || retries.isAwaiting();
    }

    /** Interrupts the handlers that run. */
    void interrupt() {
        if (workers != null) {
            workers.interrupt();
        }
        loop.interrupt();
    }

    /** Settles what is done and releases the rest if all threads have ended. Does not wait for them. */
    @Override
    public void close() {
        loop.stopSoon();
        boolean idle = workers == null || workers.endsWithin(Duration.ZERO);
        // What a handler still works on stays claimed until the lease expires: no other worker may begin with it
        // before.
        if (loop.close(Duration.ZERO, Duration.ZERO) && idle) {
            finish();
        }
    }

    private void finish() {
        FaultPoint.BEFORE_RELEASE.reached();
        firstDeliveries.finish();
        FaultPoint.BETWEEN_RELEASES.reached();
        retries.finish();
        FaultPoint.AFTER_RELEASE.reached();
    }
}
