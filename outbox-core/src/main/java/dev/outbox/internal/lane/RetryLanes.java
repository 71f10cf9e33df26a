package dev.outbox.internal.lane;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DispatchedEvent;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.dispatch.StreamDependencies;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.RetryBatch.Attempted;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.lease.Lease;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.lease.LeaseRenewer;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.lease.Moment;
import dev.outbox.internal.poll.BatchLoop;
import dev.outbox.internal.poll.BatchSource;
import dev.outbox.internal.poll.PollerSettings.PolledStream;
import dev.outbox.internal.poll.ReadableClaims;
import dev.outbox.internal.poll.SerialQueue;
import dev.outbox.internal.poll.WorkerPool;
import dev.outbox.internal.registry.ActiveHandlers;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redeliveries of a stream: the first delivery of each due lane, and those behind it as long as none blocks the lane. */
public final class RetryLanes implements BatchSource<RetryBatch, DueDelivery> {

    private static final Logger log = LoggerFactory.getLogger(RetryLanes.class);

    private final PolledStream stream;
    private final StreamDependencies dependencies;
    private final DeliveryClaimStore claims;
    private final DeliverySettlementStore settlements;
    private final DueMark dueMark = new DueMark();
    private final LeaseStore leases;
    private final SingleEventStore reader;
    private final ReadableClaims reading;
    private @Nullable BatchLoop<RetryBatch, DueDelivery> loop;

    public RetryLanes(PolledStream stream, StreamDependencies dependencies) {
        this.stream = stream;
        this.dependencies = dependencies;
        this.reading = new ReadableClaims(
                "redeliveries of stream " + stream.name(), stream.settings().batchSize());
        this.claims = new DeliveryClaimStore(dependencies.dataSource(), dependencies.schema());
        this.leases = new LeaseStore(dependencies.dataSource(), dependencies.schema());
        this.reader = new SingleEventStore(dependencies.dataSource(), dependencies.schema());
        this.settlements = new DeliverySettlementStore(dependencies.dataSource(), dependencies.schema());
    }

    /**
     * Delivers an event to a handler of this instance once more, without a claim that another worker could take. Only the handler writes. An
     * outcome that does not come within the given time is returned as one that comes later.
     */
    public static DeliveryOutcome redeliver(
            EventEnvelope event, String handlerId, StreamDependencies dependencies, Duration life, Duration patience) {
        DueDelivery second = new DueDelivery(event, handlerId, 2, 0, 1, new ClaimKey(0, new UUID(0, 0)));
        LeaseRenewer leases = dependencies.leases();
        try (Lease lease = leases.keep(Lease.Claimed.WITHOUT_ROW, life, leases.now())) {
            DeliveryOutcome outcome = dependencies
                    .dispatcher()
                    .retry(List.of(second), new LeaseGuard(lease, () -> false))
                    .get(0);
            return outcome.known()
                    .copy()
                    .completeOnTimeout(outcome, patience.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    /** Returns the loop that works through them, with a pool or on its own thread. */
    public BatchLoop<?, ?> loop(WorkerPool.@Nullable Share workers, Runnable wake) {
        BatchLoop<RetryBatch, DueDelivery> created = new BatchLoop<>(stream.name(), this, workers, wake);
        loop = created;
        return created;
    }

    /** Takes over the lanes that a claim of first deliveries keeps for outcomes which come later. */
    public void adopt(List<DispatchedEvent> events, ClaimKey claim, Lease lease) {
        BatchLoop<RetryBatch, DueDelivery> own = loop;
        Map<DueDelivery, DeliveryOutcome> kept = new LinkedHashMap<>();
        for (DispatchedEvent event : events) {
            event.outcomes().forEach((handlerId, outcome) -> {
                if (outcome.isLater()) {
                    kept.put(new DueDelivery(event.event().envelope(), handlerId, 1, 0, 0, claim), outcome);
                }
            });
        }
        if (own != null && !kept.isEmpty()) {
            RetryBatch batch = new RetryBatch(List.copyOf(kept.keySet()), List.of(), lease.share(), new Object());
            kept.forEach(batch::await);
            own.adopt(batch);
        }
    }

    /** Returns where the claim of first deliveries, which also looks for the next due time, starts to look. */
    public OffsetDateTime dueFrom(ActiveHandlers handlers, boolean wholeQueue) {
        return dueMark.of(handlers, wholeQueue);
    }

    /** Notes where the next look starts. */
    public void lookedFor(ActiveHandlers handlers, String server, OffsetDateTime mark) {
        dueMark.found(handlers, server, mark);
    }

    @Override
    public Claimed<RetryBatch> claim(boolean nearOnly) throws SQLException {
        Moment begun = dependencies.leases().now();
        Object pass = new Object();
        boolean withSuspects = dependencies.suspects().tryAcquire(pass);
        List<DueDelivery> due = List.of();
        RetryBatch batch = null;
        try {
            FaultPoint.BEFORE_REDELIVERY_CLAIM.reached();
            due = reading.claim((alone) -> claimDue(withSuspects, alone), (claimed) -> !claimed.isEmpty());
            if (due.isEmpty()) {
                return Claimed.nothing(false);
            }
            batch = batch(due, pass, begun);
            return new Claimed<>(batch, true, Optional.empty(), Optional.empty());
        } finally {
            if (batch == null || due.stream().noneMatch(DueDelivery::isSuspect)) {
                dependencies.suspects().release(pass);
            }
        }
    }

    private RetryBatch batch(List<DueDelivery> due, Object pass, Moment begun) throws SQLException {
        Duration life = stream.settings().lease();
        return dependencies.leases().keep(leases.claimed(due.get(0).claim(), life), life, begun, (lease) -> {
            FaultPoint.AFTER_REDELIVERY_CLAIM.reached();
            return new RetryBatch(due, queues(due), lease, pass);
        });
    }

    /** Reads a delivery that was claimed alone, or a crash suspect unless it becomes a dead letter; gives it back if that fails. */
    private List<DueDelivery> complete(List<DueDelivery> due, boolean isolated) throws SQLException {
        if (due.size() != 1 || !(isolated || due.get(0).isSuspect())) {
            return due;
        }
        DueDelivery delivery = due.get(0);
        if (dependencies.dispatcher().isCrashLoop(delivery)) {
            return due;
        }
        try {
            SingleEventStore.Read read = reader.read(delivery.envelope());
            return List.of(delivery.with(read.envelope(), read.failure()));
        } catch (SQLException | RuntimeException | Error ex) {
            leases.release(delivery.claim());
            throw ex;
        }
    }

    private List<DueDelivery> claimDue(boolean withSuspects, boolean isolated) throws SQLException {
        ActiveHandlers handlers = dependencies.dispatcher().activeHandlers();
        List<DueDelivery> due = claims.claimDue(new DeliveryClaimStore.Request(
                stream.name(),
                stream.worker(),
                handlers,
                stream.settings().batchSize(),
                withSuspects,
                stream.settings().lease(),
                dueMark.of(handlers),
                isolated));
        return complete(due, isolated);
    }

    /** Returns a queue for each lane; the lanes of a batch handler share as many queues as there are workers. */
    private List<SerialQueue<DueDelivery>> queues(List<DueDelivery> due) {
        Map<String, Map<Lane, List<DueDelivery>>> handlers = new LinkedHashMap<>();
        for (DueDelivery delivery : due) {
            handlers.computeIfAbsent(delivery.handlerId(), (key) -> new LinkedHashMap<>())
                    .computeIfAbsent(Lane.of(delivery), (key) -> new ArrayList<>())
                    .add(delivery);
        }
        List<SerialQueue<DueDelivery>> queues = new ArrayList<>();
        handlers.forEach((handlerId, lanes) -> {
            boolean together = dependencies.dispatcher().batchSize(stream.name(), handlerId) > 1;
            queues.addAll(SerialQueue.distribute(
                    lanes.values(), together ? stream.settings().concurrency() : lanes.size()));
        });
        return queues;
    }

    @Override
    public boolean dispatch(RetryBatch batch, SerialQueue<DueDelivery> queue, LeaseGuard guard) {
        int most =
                dependencies.dispatcher().batchSize(stream.name(), queue.peek().handlerId());
        List<DueDelivery> open = queue.peek(most).stream()
                .filter((delivery) -> !batch.waits(delivery))
                .toList();
        if (open.isEmpty()) {
            queue.advance(queue.peek(most).size());
            return true;
        }
        List<DeliveryOutcome> outcomes = dependencies.dispatcher().retry(open, guard);
        if (outcomes.stream().allMatch(DeliveryOutcome::isUnattempted)) {
            return false;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i).isLater()) {
                batch.await(open.get(i), outcomes.get(i));
            } else if (!outcomes.get(i).isUnattempted()) {
                batch.add(new Attempted(open.get(i), outcomes.get(i)));
            }
            if (outcomes.get(i).blocksLane()) {
                batch.block(open.get(i));
            }
        }
        DueDelivery last = open.get(outcomes.size() - 1);
        queue.advance(queue.peek(most).indexOf(last) + 1);
        return true;
    }

    @Override
    public Settled settle(RetryBatch batch, boolean last, Mode mode) throws SQLException {
        List<Attempted> attempts = batch.unsettled();
        List<DueDelivery> untried = last || batch.isAwaiting() ? batch.untried() : List.of();
        boolean held = (attempts.isEmpty() && untried.isEmpty())
                ? !batch.lease().isGone()
                : write(batch, attempts, untried, last, mode);
        if (last || !held) {
            dependencies.suspects().release(batch.suspectsPass());
        }
        if (!held) {
            dependencies.listener().leaseLost(stream.name());
            log.warn(
                    "Lost the lease in stream {}; {} outcomes were not written, and the events are delivered again: {}",
                    stream.name(),
                    attempts.size(),
                    batch);
            return Settled.LEASE_LOST;
        }
        if (!batch.open().isEmpty()) {
            return Settled.PARTLY;
        }
        if (last) {
            dependencies.listener().released(stream.name(), batch.heldFor());
        }
        return Settled.ALL;
    }

    /**
     * Both other modes write one by one, which hardly waits for locks, and makes a refused outcome a dead letter. Returns whether the claim is
     * still this worker's.
     */
    private boolean write(
            RetryBatch batch, List<Attempted> attempts, List<DueDelivery> untried, boolean last, Mode mode)
            throws SQLException {
        long begun = System.nanoTime();
        FaultPoint.BEFORE_REDELIVERY_SETTLE.reached();
        Set<Lane> kept = last ? Set.of() : batch.keptAfter(attempts, untried);
        DeliverySettlementStore.Settled settled = mode == Mode.BATCH
                ? settlements.settle(batch.claim(), attempts, untried, kept)
                : settlements.settleOneByOne(batch.claim(), attempts, untried, kept);
        FaultPoint.AFTER_REDELIVERY_SETTLE.reached();
        if (!settled.claimHeld()) {
            return false;
        }
        if (mode != Mode.BATCH
                || attempts.stream().anyMatch((one) -> one.outcome().isDead())) {
            dependencies.deadLettered().run();
        }
        dependencies.listener().settled(stream.name(), Duration.ofNanos(System.nanoTime() - begun), attempts.size());
        settled.retriesOfCompleted()
                .forEach((retries) -> dependencies.listener().completed(stream.name(), retries));
        batch.settled(attempts, untried, settled.leftOver());
        return true;
    }
}
