package dev.outbox.internal.processing;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.background.BackgroundTask;
import dev.outbox.internal.background.WorkerPool;
import dev.outbox.internal.fault.FaultPoint;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of one stream: new events first, then what is due in the repair lanes, again at once while there is more, else
 * when it is woken, when a delivery becomes due, or after the interval.
 */
public final class StreamPoller implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StreamPoller.class);

    private final PolledStream stream;
    private final FirstDeliveries fastLane;
    private final BackgroundTask repair;
    private final BackgroundLoop duty;
    private final @Nullable WorkerPool workers;
    private boolean repairInterrupted;

    /** Creates a poller that has not started. */
    public StreamPoller(
            PolledStream stream,
            PollerResources resources,
            @Nullable WorkerPool workers,
            Function<Runnable, BackgroundTask> repair) {
        this.stream = stream;
        this.workers = workers;
        this.duty = new BackgroundLoop("outbox-poller-" + stream.name(), this::runOnce);
        this.fastLane = new FirstDeliveries(stream, resources, workers, duty::wake);
        this.repair = repair.apply(duty::wake);
    }

    /** Starts the thread. */
    public void start() {
        log.info(
                "polling stream {} every {} ms, up to {} events at once, {} at the same time",
                stream.name(),
                stream.settings().interval().toMillis(),
                stream.settings().batchSize(),
                stream.settings().concurrency());
        duty.start();
    }

    /** Makes the poller look at once. */
    public void wake() {
        duty.wake();
    }

    /** Runs one round on the calling thread. Not to be called while the poller is started. */
    public Duration runOnce() throws SQLException {
        FirstDeliveries.Round round = fastLane.runOnce(duty::isClosing);
        Duration interval = stream.settings().interval();
        Duration untilNext = round.untilNextDelivery().orElse(interval);
        boolean due = untilNext.isNegative() || untilNext.isZero();
        boolean repairing = due || repairInterrupted || repair.lookAgainIn().isPresent();
        boolean moreRepair = repairing && !duty.isClosing() && repair();
        if (round.more() || moreRepair) {
            return Duration.ZERO;
        }
        Duration rest = due ? interval : shorter(untilNext, interval);
        rest = shorter(repair.lookAgainIn().orElse(rest), rest);
        rest = shorter(round.lookAgainIn().orElse(rest), rest);
        return fastLane.isSettlingSoon() ? shorter(FirstDeliveries.SETTLE_BESIDE_OTHERS_AFTER, rest) : rest;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** A round that failed has kept outcomes to write: it is taken up again whether or not anything else is due. */
    private boolean repair() throws SQLException {
        repairInterrupted = true;
        boolean more = repair.runOnce(duty::isClosing);
        repairInterrupted = false;
        return more;
    }

    /** Returns how long running handlers may take to finish when the poller is closed. */
    public Duration shutdownTimeout() {
        return stream.settings().shutdownTimeout();
    }

    /** Stops claiming after the event that is being handled; returns at once. */
    public void stopSoon() {
        duty.stopSoon();
    }

    /** Stops claiming, and waits for the handlers that run. */
    public boolean endsWithin(Duration patience) {
        long begun = System.nanoTime();
        duty.stopSoon();
        boolean idle = workers == null || workers.endsWithin(patience);
        return duty.endsWithin(patience.minusNanos(System.nanoTime() - begun)) && idle;
    }

    /** Interrupts the handlers that run. */
    public void interrupt() {
        if (workers != null) {
            workers.interrupt();
        }
        duty.interrupt();
    }

    /** Settles what is done and sets the rest free, if all threads have ended; otherwise leaves them alone. Does not wait for them. */
    @Override
    public void close() {
        duty.stopSoon();
        boolean idle = workers == null || workers.endsWithin(Duration.ZERO);
        // What a handler still works on stays claimed until the lease expires: nobody else must begin with it before.
        if (duty.close(Duration.ZERO, Duration.ZERO) && idle) {
            finish();
        }
    }

    private void finish() {
        try {
            FaultPoint.BEFORE_RELEASE.reached();
            fastLane.finish();
            FaultPoint.BETWEEN_RELEASES.reached();
            repair.finish();
            FaultPoint.AFTER_RELEASE.reached();
        } catch (SQLException ex) {
            log.warn(
                    "what stream {} has handled last could not be written; it is delivered again when its lease expires",
                    stream.name(),
                    ex);
        }
    }
}
