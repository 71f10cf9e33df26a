package dev.outbox.repair;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.Outcome;
import dev.outbox.duty.Lease;
import dev.outbox.duty.LeaseKeeper;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.store.DeliveryClaimStore;
import dev.outbox.store.DeliverySettleStore;
import dev.outbox.store.DeliverySettleStore.Attempted;
import dev.outbox.store.DueDelivery;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempts due deliveries of one stream again. Only the head of a lane is ever due; what waits behind it comes along as long as
 * the lane flows, so each lane keeps its order. Where settling fails, the batch is kept and settled in the next round. Used by one thread.
 */
public final class RepairLanes {

    private static final Logger log = LoggerFactory.getLogger(RepairLanes.class);

    private static final Duration SETTLE_AT_LATEST_AFTER = Duration.ofSeconds(1);

    private final Settings settings;
    private final DeliveryClaimStore claims;
    private final DeliverySettleStore settlements;
    private final Dispatcher dispatcher;
    private final LeaseKeeper leases;
    private final OutboxObserver observer;

    private @Nullable RepairBatch batch;

    /**
     * Which deliveries, and how many at once.
     *
     * @param stream the stream
     * @param worker who claims; part of the fence
     * @param batchSize at most how many deliveries are claimed at once
     * @param lease how long a claim outlives its process
     */
    public record Settings(String stream, String worker, int batchSize, Duration lease) {}

    /**
     * Where deliveries are claimed and settled.
     *
     * @param claims claims deliveries and keeps their leases
     * @param settlements writes outcomes
     */
    public record DeliveryStores(DeliveryClaimStore claims, DeliverySettleStore settlements) {}

    /**
     * Creates the lanes of a stream.
     *
     * @param settings which deliveries
     * @param deliveries claims and settles them
     * @param dispatcher invokes their handlers
     * @param leases keeps claims alive
     * @param observer hears of rounds
     */
    public RepairLanes(
            Settings settings,
            DeliveryStores deliveries,
            Dispatcher dispatcher,
            LeaseKeeper leases,
            OutboxObserver observer) {
        this.settings = settings;
        this.claims = deliveries.claims();
        this.settlements = deliveries.settlements();
        this.dispatcher = dispatcher;
        this.leases = leases;
        this.observer = observer;
    }

    /**
     * Attempts what is due, up to one batch.
     *
     * @param closing whether the process is about to end
     * @return whether anything was attempted, so that there may be more
     * @throws SQLException if the database refused or could not be reached; the round is taken up again by the next one
     */
    public boolean runOnce(BooleanSupplier closing) throws SQLException {
        RepairBatch current = batch != null ? batch : claim();
        if (current == null) {
            return false;
        }
        while (current.hasNext() && !closing.getAsBoolean() && !current.lease().isLost()) {
            DueDelivery delivery = current.next();
            Outcome outcome = dispatcher.retry(delivery.envelope(), delivery.handlerId(), delivery.failures(), closing);
            if (outcome instanceof Outcome.Abandoned) {
                break;
            }
            current.add(outcome);
            if (current.isSettlingDue(SETTLE_AT_LATEST_AFTER)) {
                settle(current);
            }
        }
        current.stop();
        settle(current);
        current.lease().close();
        batch = null;
        return true;
    }

    private @Nullable RepairBatch claim() throws SQLException {
        List<DueDelivery> due = claims.claimDue(new DeliveryClaimStore.Request(
                settings.stream(), settings.worker(), dispatcher.handlerIds(), settings.batchSize(), settings.lease()));
        if (due.isEmpty()) {
            return null;
        }
        RepairBatch claimed = new RepairBatch(due);
        Lease lease = leases.keep(
                () -> claimed.isOver() || claims.renew(settings.worker(), claimed.unsettled(), settings.lease()) > 0);
        claimed.keptBy(lease);
        batch = claimed;
        return claimed;
    }

    private void settle(RepairBatch current) throws SQLException {
        List<Attempted> attempts = current.attempts();
        if (attempts.isEmpty() && current.untried().isEmpty()) {
            return;
        }
        long begun = System.nanoTime();
        DeliverySettleStore.Settled settled = settlements.settle(settings.worker(), attempts, current.untried());
        observer.settled(settings.stream(), Duration.ofNanos(System.nanoTime() - begun), attempts.size());
        settled.retriesOfCompleted().forEach((retries) -> observer.completed(settings.stream(), retries));
        for (Attempted attempt : attempts) {
            DueDelivery delivery = attempt.delivery();
            if (!settled.written()
                    .contains(new DeliverySettleStore.Key(delivery.envelope().id(), delivery.handlerId()))) {
                observer.leaseLost(settings.stream());
                log.warn(
                        "{} lost the lease on {}; its outcome was not written, and the event is delivered again",
                        delivery.handlerId(),
                        delivery.envelope());
            }
        }
        current.settled();
    }
}
