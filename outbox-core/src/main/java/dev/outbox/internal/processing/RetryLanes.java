package dev.outbox.internal.processing;

import dev.outbox.internal.background.BackgroundTask;
import dev.outbox.internal.background.Moment;
import dev.outbox.internal.background.SerialQueue;
import dev.outbox.internal.background.WorkerPool;
import dev.outbox.internal.delivery.DeliveryKey;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.dispatch.LeaseGuard;
import dev.outbox.internal.dispatch.Outcome;
import dev.outbox.internal.failure.Refusal;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.DeliveryClaimStore;
import dev.outbox.internal.store.DeliverySettlementStore.Attempted;
import dev.outbox.internal.store.DeliverySettlementStore.Settled;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempts due deliveries of one stream again. Only the head of a lane is ever due; what waits behind it comes along as long as
 * the lane flows, so each lane keeps its order. Where settling fails, the batch is kept and settled in the next round. Used by one
 * thread, which invokes handlers itself or lets a workers do it.
 */
public final class RetryLanes implements BackgroundTask {

    private static final Logger log = LoggerFactory.getLogger(RetryLanes.class);

    private static final Duration SETTLE_AT_LATEST_AFTER = Duration.ofSeconds(1);
    private static final Duration SETTLE_BESIDE_OTHERS_AFTER = Duration.ofMillis(50);
    private static final Duration BETWEEN_LOOKS_AT_LOCKS = Duration.ofMillis(500);

    private static final int REFUSALS_BEFORE_ISOLATION = 3;

    private final RetrySettings settings;
    private final RetryResources resources;
    private final @Nullable WorkerPool workers;
    private final Runnable wake;
    private final List<RetryBatch> underWay = new ArrayList<>();

    /** Batches of which somebody else holds rows locked: their lanes wait, everything else goes on. */
    private final List<RetryBatch> contended = new ArrayList<>();

    private long lookedAtLocksAt = System.nanoTime();

    /** Creates the lanes of a stream. */
    public RetryLanes(RetrySettings settings, RetryResources resources, @Nullable WorkerPool workers, Runnable wake) {
        this.settings = settings;
        this.resources = resources;
        this.workers = workers;
        this.wake = wake;
    }

    @Override
    public boolean runOnce(BooleanSupplier closing) throws SQLException {
        if (System.nanoTime() - lookedAtLocksAt > BETWEEN_LOOKS_AT_LOCKS.toNanos()) {
            for (RetryBatch waiting : List.copyOf(contended)) {
                settle(waiting, true);
            }
            lookedAtLocksAt = System.nanoTime();
        }
        for (RetryBatch current : List.copyOf(underWay)) {
            goOn(current, closing);
        }
        if (closing.getAsBoolean() || !hasRoom()) {
            return false;
        }
        RetryBatch claimed = claim();
        if (claimed == null) {
            return false;
        }
        if (workers != null) {
            workers.work(claimed.lanes(), (lane) -> attempt(claimed, lane, closing), claimed::left);
        }
        goOn(claimed, closing);
        return true;
    }

    @Override
    public Optional<Duration> lookAgainIn() {
        if (!underWay.isEmpty()) {
            return Optional.of(SETTLE_BESIDE_OTHERS_AFTER);
        }
        return contended.isEmpty() ? Optional.empty() : Optional.of(BETWEEN_LOOKS_AT_LOCKS);
    }

    @Override
    public void finish() throws SQLException {
        for (RetryBatch current : List.copyOf(underWay)) {
            settle(current, true);
        }
        for (RetryBatch waiting : List.copyOf(contended)) {
            settle(waiting, true);
            end(waiting);
        }
    }

    private boolean hasRoom() {
        return workers == null ? underWay.isEmpty() : workers.hasRoom() && underWay.size() <= workers.size();
    }

    private @Nullable RetryBatch claim() throws SQLException {
        Moment begun = resources.leases().now();
        Object pass = new Object();
        boolean withSuspects = resources.suspects().enter(pass);
        List<DueDelivery> due = List.of();
        try {
            FaultPoint.BEFORE_REDELIVERY_CLAIM.reached();
            due = resources
                    .claims()
                    .claimDue(new DeliveryClaimStore.Request(
                            settings.stream(),
                            settings.worker(),
                            resources.dispatcher().activeHandlers(),
                            settings.batchSize(),
                            held(),
                            withSuspects,
                            settings.lease()));
        } finally {
            if (due.stream().noneMatch(DueDelivery::isSuspect)) {
                resources.suspects().leave(pass);
            }
        }
        if (due.isEmpty()) {
            return null;
        }
        FaultPoint.AFTER_REDELIVERY_CLAIM.reached();
        RetryBatch claimed = new RetryBatch(due, pass);
        claimed.keptBy(resources
                .leases()
                .keep(new LeasedDeliveries(resources.claims(), claimed, settings.lease()), settings.lease(), begun));
        underWay.add(claimed);
        return claimed;
    }

    private Set<Long> held() {
        return Stream.concat(underWay.stream(), contended.stream())
                .flatMap((batch) -> batch.unsettled().stream())
                .map((delivery) -> delivery.envelope().id())
                .collect(Collectors.toSet());
    }

    private void goOn(RetryBatch current, BooleanSupplier closing) throws SQLException {
        if (workers == null) {
            attemptHere(current, closing);
        }
        if (current.isOver()) {
            settle(current, true);
        } else if (current.isSettlingDue(SETTLE_BESIDE_OTHERS_AFTER)) {
            settle(current, false);
        }
    }

    private void attemptHere(RetryBatch current, BooleanSupplier closing) throws SQLException {
        for (SerialQueue<DueDelivery> lane : current.lanes()) {
            while (attemptNext(current, lane, closing)) {
                if (current.isSettlingDue(SETTLE_AT_LATEST_AFTER)) {
                    settle(current, false);
                }
            }
            if (!current.isOver()) {
                current.left(lane);
            }
        }
    }

    /** Attempts a lane on a thread of the workers. */
    private void attempt(RetryBatch current, SerialQueue<DueDelivery> lane, BooleanSupplier closing) {
        try {
            while (attemptNext(current, lane, closing)) {
                if (current.isSettlingDue(SETTLE_AT_LATEST_AFTER)) {
                    wake.run();
                }
            }
        } finally {
            current.left(lane);
            if (current.isOver() || workers == null || workers.isIdle()) {
                wake.run();
            }
        }
    }

    private boolean attemptNext(RetryBatch current, SerialQueue<DueDelivery> lane, BooleanSupplier closing) {
        if (!lane.hasNext()) {
            return false;
        }
        DeliveryKey key = DeliveryKey.of(lane.next());
        LeaseGuard guard = new LeaseGuard(current.lease(), () -> current.isLost(key), closing);
        if (guard.isOver()) {
            return false;
        }
        Outcome outcome = resources.dispatcher().retry(lane.next(), guard);
        if (outcome instanceof Outcome.Abandoned || outcome instanceof Outcome.Queued) {
            return false;
        }
        current.add(lane, outcome);
        return true;
    }

    private void settle(RetryBatch current, boolean last) throws SQLException {
        List<Attempted> attempts = current.attempts();
        List<DueDelivery> untried = last ? current.untried() : List.of();
        List<DueDelivery> next = last ? List.of() : current.nextAfter(attempts);
        if (attempts.isEmpty() && untried.isEmpty()) {
            end(current);
            return;
        }
        long begun = System.nanoTime();
        boolean waiting = contended.contains(current);
        FaultPoint.BEFORE_REDELIVERY_SETTLE.reached();
        Settled settled = waiting
                ? resources.settlements().settleUnlocked(attempts, untried)
                : settleAll(current, attempts, untried, next);
        FaultPoint.AFTER_REDELIVERY_SETTLE.reached();
        resources.listener().settled(settings.stream(), Duration.ofNanos(System.nanoTime() - begun), attempts.size());
        settled.retriesOfCompleted().forEach((retries) -> resources.listener().completed(settings.stream(), retries));
        attempts.forEach((attempt) -> reportIfLost(attempt.delivery(), settled));
        current.settled(attempts, untried, settled.leftOver());
        if (last && current.unsettled().isEmpty()) {
            end(current);
        } else if (last && !waiting) {
            setAside(current);
        }
    }

    /** A stream never stops for one delivery: what PostgreSQL refuses again and again is settled one by one. */
    private Settled settleAll(
            RetryBatch current, List<Attempted> attempts, List<DueDelivery> untried, List<DueDelivery> next)
            throws SQLException {
        try {
            return resources.settlements().settle(attempts, untried, next);
        } catch (SQLException ex) {
            if (!Refusal.is(ex) || current.refused() < REFUSALS_BEFORE_ISOLATION) {
                throw ex;
            }
            return resources.settlements().settleUnlocked(attempts, untried);
        }
    }

    private void reportIfLost(DueDelivery delivery, Settled settled) {
        DeliveryKey key = DeliveryKey.of(delivery);
        if (!settled.written().contains(key) && !settled.leftOver().contains(key)) {
            resources.listener().leaseLost(settings.stream());
            log.warn(
                    "{} lost the lease on {}; its outcome was not written, and the event is delivered again",
                    delivery.handlerId(),
                    delivery.envelope());
        }
    }

    private void setAside(RetryBatch current) {
        log.warn(
                "rows of {} retried events of stream {} are locked by another session, or refused; their lanes wait until they can be written",
                current.unsettled().size(),
                settings.stream());
        contended.add(current);
        underWay.remove(current);
        resources.suspects().leave(current.suspects());
    }

    private void end(RetryBatch current) {
        current.lease().close();
        contended.remove(current);
        underWay.remove(current);
        resources.suspects().leave(current.suspects());
    }
}
