package dev.outbox.poll;

import dev.outbox.duty.Duty;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of one stream: new events first, then what is due in the repair lanes, again at once while there is more, else
 * when it is woken, when a delivery becomes due, or after the interval.
 */
public final class Poller implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Poller.class);

    private final Stream stream;
    private final FastLane fastLane;
    private final RepairRound repair;
    private final Duty duty;
    private boolean repairInterrupted;

    /** One round of the repair lanes. */
    @FunctionalInterface
    public interface RepairRound {

        /**
         * Attempts what is due.
         *
         * @param closing whether the process is about to end
         * @return whether there is probably more that is due
         * @throws SQLException if the database refused or could not be reached
         */
        boolean runOnce(BooleanSupplier closing) throws SQLException;
    }

    /**
     * Creates a poller that has not started.
     *
     * @param stream the stream
     * @param resources what it works with
     * @param repair a round of the stream's repair lanes
     */
    public Poller(Stream stream, PollerResources resources, RepairRound repair) {
        this.stream = stream;
        this.fastLane = new FastLane(stream, resources);
        this.repair = repair;
        this.duty = new Duty("outbox-poller-" + stream.name(), this::runOnce);
    }

    /** Starts the thread. */
    public void start() {
        log.info(
                "polling stream {} every {} ms, up to {} events at once",
                stream.name(),
                stream.settings().interval().toMillis(),
                stream.settings().batchSize());
        duty.start();
    }

    /** Makes the poller look at once. */
    public void wake() {
        duty.wake();
    }

    /**
     * Runs one round on the calling thread. Not to be called while the poller is started.
     *
     * @return how long to rest before the next round
     * @throws SQLException if the database refused or could not be reached; the round is taken up again by the next one
     */
    public Duration runOnce() throws SQLException {
        FastLane.Round round = fastLane.runOnce(duty::isClosing);
        Duration untilNext = round.untilNextDelivery().orElse(stream.settings().interval());
        boolean due = untilNext.isNegative() || untilNext.isZero();
        boolean moreRepair = (due || repairInterrupted) && !duty.isClosing() && repair();
        if (round.more() || moreRepair) {
            return Duration.ZERO;
        }
        Duration interval = stream.settings().interval();
        return due || untilNext.compareTo(interval) > 0 ? interval : untilNext;
    }

    /** A round that failed has kept outcomes to write: it is taken up again whether or not anything else is due. */
    private boolean repair() throws SQLException {
        repairInterrupted = true;
        boolean more = repair.runOnce(duty::isClosing);
        repairInterrupted = false;
        return more;
    }

    /** Stops claiming after the event that is being handled; returns at once. To be followed by {@link #close}. */
    public void stopSoon() {
        duty.stopSoon();
    }

    /**
     * Stops claiming, lets a running handler finish within the shutdown timeout, settles what is done and sets the rest free.
     */
    @Override
    public void close() {
        duty.close(stream.settings().shutdownTimeout());
    }
}
