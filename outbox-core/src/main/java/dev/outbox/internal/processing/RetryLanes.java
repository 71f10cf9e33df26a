package dev.outbox.internal.processing;

import dev.outbox.internal.background.Moment;
import dev.outbox.internal.background.SerialQueue;
import dev.outbox.internal.delivery.AttemptedDelivery;
import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DeliveryOutcome;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.dispatch.LeaseGuard;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.DeliveryClaimStore;
import dev.outbox.internal.store.DeliverySettlementStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redeliveries of a stream: only the head of a lane is due, and the rest of the lane follows as long as none blocks it. */
final class RetryLanes implements BatchSource<RetryBatch, DueDelivery> {

    private static final Logger log = LoggerFactory.getLogger(RetryLanes.class);

    private final PolledStream stream;
    private final StreamDependencies dependencies;
    private final List<RetryBatch> claimed = new ArrayList<>();

    RetryLanes(PolledStream stream, StreamDependencies dependencies) {
        this.stream = stream;
        this.dependencies = dependencies;
    }

    @Override
    public Claimed<RetryBatch> claim(boolean nearOnly) throws SQLException {
        claimed.removeIf((batch) -> batch.open().isEmpty());
        Moment begun = dependencies.leases().now();
        Duration life = stream.settings().lease();
        Object pass = new Object();
        boolean withSuspects = dependencies.suspects().tryAcquire(pass);
        List<DueDelivery> due = List.of();
        try {
            FaultPoint.BEFORE_REDELIVERY_CLAIM.reached();
            due = claimDue(withSuspects);
        } finally {
            if (due.stream().noneMatch(DueDelivery::isSuspect)) {
                dependencies.suspects().release(pass);
            }
        }
        if (due.isEmpty()) {
            return Claimed.nothing(false);
        }
        FaultPoint.AFTER_REDELIVERY_CLAIM.reached();
        RetryBatch batch = new RetryBatch(due, pass);
        batch.withLease(dependencies
                .leases()
                .keep(new LeasedDeliveries(dependencies.deliveryClaims(), batch, life), life, begun));
        claimed.add(batch);
        return new Claimed<>(batch, true, Optional.empty(), Optional.empty());
    }

    private List<DueDelivery> claimDue(boolean withSuspects) throws SQLException {
        Set<Long> held = claimed.stream()
                .flatMap((batch) -> batch.open().stream())
                .map((delivery) -> delivery.envelope().id())
                .collect(Collectors.toSet());
        return dependencies
                .deliveryClaims()
                .claimDue(new DeliveryClaimStore.Request(
                        stream.name(),
                        stream.worker(),
                        dependencies.dispatcher().activeHandlers(),
                        stream.settings().batchSize(),
                        held,
                        withSuspects,
                        stream.settings().lease()));
    }

    @Override
    public void begin(RetryBatch batch) {}

    @Override
    public boolean dispatch(RetryBatch batch, SerialQueue<DueDelivery> queue, LeaseGuard guard) {
        DueDelivery delivery = queue.peek();
        DeliveryOutcome outcome = dependencies.dispatcher().retry(delivery, guard);
        if (outcome instanceof DeliveryOutcome.Abandoned || outcome instanceof DeliveryOutcome.Queued) {
            return false;
        }
        batch.add(new AttemptedDelivery(delivery, outcome));
        queue.advance();
        if (outcome.blocksLane()) {
            queue.skipRest();
        }
        return true;
    }

    @Override
    public Settled settle(RetryBatch batch, boolean last, Mode mode) throws SQLException {
        List<AttemptedDelivery> attempts = batch.unsettled();
        List<DueDelivery> untried = last ? batch.untried() : List.of();
        if (!attempts.isEmpty() || !untried.isEmpty()) {
            write(batch, attempts, untried, last, mode);
        }
        if (last) {
            dependencies.suspects().release(batch.suspectsPass());
        }
        if (!batch.open().isEmpty()) {
            return Settled.PARTLY;
        }
        if (last) {
            dependencies.listener().released(stream.name(), batch.heldFor());
        }
        return Settled.ALL;
    }

    private void write(
            RetryBatch batch, List<AttemptedDelivery> attempts, List<DueDelivery> untried, boolean last, Mode mode)
            throws SQLException {
        long begun = System.nanoTime();
        FaultPoint.BEFORE_REDELIVERY_SETTLE.reached();
        DeliverySettlementStore.Settled settled = mode == Mode.BATCH
                ? dependencies
                        .deliverySettlements()
                        .settle(attempts, untried, last ? List.of() : batch.nextAfter(attempts))
                : dependencies.deliverySettlements().settleUnlocked(attempts, untried);
        FaultPoint.AFTER_REDELIVERY_SETTLE.reached();
        dependencies.listener().settled(stream.name(), Duration.ofNanos(System.nanoTime() - begun), attempts.size());
        settled.retriesOfCompleted()
                .forEach((retries) -> dependencies.listener().completed(stream.name(), retries));
        attempts.forEach((attempt) -> reportIfLost(attempt.delivery(), settled));
        batch.settled(attempts, untried, settled.leftOver());
    }

    private void reportIfLost(DueDelivery delivery, DeliverySettlementStore.Settled settled) {
        DeliveryKey key = DeliveryKey.of(delivery);
        if (!settled.written().contains(key) && !settled.leftOver().contains(key)) {
            dependencies.listener().leaseLost(stream.name());
            log.warn(
                    "{} lost the lease on {}; its outcome was not written, and the event is delivered again",
                    delivery.handlerId(),
                    delivery.envelope());
        }
    }

    /** Does nothing: locked deliveries become available when their lease expires. */
    @Override
    public void release(RetryBatch batch) {}

    @Override
    public void close() {}
}
