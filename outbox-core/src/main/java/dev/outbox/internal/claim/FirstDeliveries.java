package dev.outbox.internal.claim;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.dispatch.Dispatcher.ClaimedEvent;
import dev.outbox.internal.dispatch.Dispatcher.DispatchedEvent;
import dev.outbox.internal.dispatch.LogContext;
import dev.outbox.internal.dispatch.StreamDependencies;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lane.LaneSql;
import dev.outbox.internal.lane.RetryLanes;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.lease.Moment;
import dev.outbox.internal.poll.BatchLoop;
import dev.outbox.internal.poll.BatchSource;
import dev.outbox.internal.poll.PollerSettings.PolledStream;
import dev.outbox.internal.poll.ReadableClaims;
import dev.outbox.internal.poll.SerialQueue;
import dev.outbox.internal.poll.WorkerPool;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.NamedSql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** First deliveries of a stream: events that no handler has been offered yet. */
public final class FirstDeliveries implements BatchSource<EventBatch, ClaimedEvent> {

    private static final Logger log = LoggerFactory.getLogger(FirstDeliveries.class);

    private static final String WITHDRAW = "withdraw.sql";

    private final PolledStream stream;
    private final StreamDependencies dependencies;
    private final ClaimStore claims;
    private final LeaseStore leases;
    private final SettlementStore settlements;
    private final boolean concurrent;
    private final SettlementIsolator isolator;
    private final ScanLimit depth;
    private final WindowSchedule window = new WindowSchedule(System::nanoTime);
    private final RetryLanes retries;
    private final ReadableClaims reading;

    private long highest;
    private volatile boolean queued;

    /** Handles aggregates at the same time, or all events in the order of ids. */
    public FirstDeliveries(
            PolledStream stream, StreamDependencies dependencies, RetryLanes retries, boolean concurrent) {
        this.stream = stream;
        this.dependencies = dependencies;
        this.claims = new ClaimStore(dependencies.dataSource(), dependencies.schema());
        this.leases = new LeaseStore(dependencies.dataSource(), dependencies.schema());
        this.settlements = new SettlementStore(dependencies.dataSource(), dependencies.schema());
        this.retries = retries;
        this.concurrent = concurrent;
        this.reading =
                new ReadableClaims("stream " + stream.name(), stream.settings().batchSize());
        this.isolator = new SettlementIsolator(settlements);
        this.depth = new ScanLimit(
                stream.settings().batchSize(),
                () -> dependencies.announcements().pollers(stream.name()));
    }

    /**
     * Returns the statements of a transaction that withdraws events, those that await their first delivery and that no worker has claimed, and
     * then changes them. Its parameters are {@code event_ids}, {@code withdraw}, {@code withdraw_command}, {@code actor} and
     * {@code reason}.
     *
     * @param before what must be locked before events
     */
    public static String[] withdrawing(List<String> before, String... change) {
        Stream<String> withdrawal = Stream.of(
                NamedSql.of(FirstDeliveries.class, WITHDRAW, "lock pending"),
                NamedSql.of(FirstDeliveries.class, WITHDRAW, "skip"),
                NamedSql.of(FirstDeliveries.class, WITHDRAW, "withdraw").replace("{history}", LaneSql.COPY_TO_HISTORY));
        return Stream.of(before.stream(), withdrawal, Stream.of(change))
                .flatMap((statements) -> statements)
                .toArray(String[]::new);
    }

    /** Returns the loop that works through them: with a pool, or on its own thread and one batch ahead. */
    public BatchLoop<?, ?> loop(WorkerPool.@Nullable Share workers, Runnable wake, Runnable arrived) {
        return workers == null
                ? BatchLoop.prefetching(stream.name(), this, stream.settings().lease(), arrived)
                : new BatchLoop<>(stream.name(), this, workers, wake, arrived);
    }

    /** Returns and resets whether deliveries were queued since the last call. */
    public boolean takeQueuedFlag() {
        boolean answer = queued;
        queued = false;
        return answer;
    }

    @Override
    public Claimed<EventBatch> claim(boolean nearOnly) throws SQLException {
        Predicate<HandlerRegistry.Version> outdated = dependencies.registry().versionCheck();
        ActiveHandlers handlers = dependencies.dispatcher().activeHandlers();
        ClaimStore.Window start = window.next();
        ClaimStore.Request request = new ClaimStore.Request(
                stream.name(),
                stream.worker(),
                stream.settings().batchSize(),
                stream.settings().lease(),
                handlers,
                nearOnly ? depth.near(highest) : depth.next(highest),
                start,
                retries.dueFrom(handlers, start == ClaimStore.Window.WHOLE_QUEUE),
                dependencies.leases().claims());
        Moment begun = dependencies.leases().now();
        FaultPoint.BEFORE_CLAIM.reached();
        Optional<ClaimStore.Round> found = reading.claim(
                (alone) -> claim(request, alone, begun),
                (claimed) -> claimed.isPresent() && claimed.get().claim() != null);
        Duration took = since(begun);
        if (found.isEmpty()) {
            dependencies.registry().addStream(stream.name());
            return Claimed.nothing(true);
        }
        ClaimStore.Round round = found.get();
        retries.lookedFor(handlers, round.registry().server(), round.dueFrom());
        EventBatch batch = round.claim() == null ? null : batch(round.claim(), round, begun);
        boolean again = recordClaim(request, round, took, nearOnly);
        if (batch == null) {
            dependencies.registry().loadVersion(round.registry());
        }
        // What is due was asked of the handlers that were active then.
        boolean asksAgain = outdated.test(round.registry());
        return new Claimed<>(batch, again || asksAgain, round.untilNextDelivery(), depth.lookAgainIn());
    }

    /** A claim that fails, perhaps because it took too long, is not repeated at once with the same reach. */
    private Optional<ClaimStore.Round> claim(ClaimStore.Request request, boolean alone, Moment begun)
            throws SQLException {
        try {
            return alone ? claims.claimAlone(request) : claims.claim(request);
        } catch (SQLException | RuntimeException | Error ex) {
            window.failed(request.window(), since(begun));
            if (Causes.isTooLong(ex)) {
                depth.failed(request.reach(), since(begun));
            }
            throw ex;
        }
    }

    private Duration since(Moment begun) {
        return Duration.ofNanos(dependencies.leases().now().nanos() - begun.nanos());
    }

    private EventBatch batch(ClaimStore.Claim claim, ClaimStore.Round round, Moment begun) throws SQLException {
        Duration life = stream.settings().lease();
        return dependencies.leases().keep(leases.claimed(claim.key(), life), life, begun, (lease) -> {
            FaultPoint.AFTER_CLAIM.reached();
            EventBatch.Limits limits =
                    new EventBatch.Limits(claim, stream.settings().batchSize(), round.isCut());
            return concurrent
                    ? EventBatch.byAggregate(
                            limits,
                            round.registry(),
                            lease,
                            (event) -> dependencies.dispatcher().batchSize(event) > 1,
                            stream.settings().concurrency())
                    : EventBatch.inOrder(limits, round.registry(), lease);
        });
    }

    private boolean recordClaim(ClaimStore.Request request, ClaimStore.Round round, Duration took, boolean nearOnly) {
        round.expired().stream()
                .filter(LeaseStore.Expired::counts)
                .forEach((expired) -> log.warn(
                        "Lease of worker {} expired: released {} events and {} lanes of stream {}",
                        expired.worker(),
                        expired.events(),
                        expired.lanes(),
                        stream.name()));
        List<ClaimedEvent> events = round.events();
        List<EventEnvelope> redelivered = events.stream()
                .filter((event) -> event.expiredClaims() > 0)
                .map(ClaimedEvent::envelope)
                .toList();
        if (!redelivered.isEmpty()) {
            log.warn("Delivering again after an expired lease: {}", LogContext.describe(redelivered));
        }
        if (!events.isEmpty()) {
            highest = Math.max(highest, events.get(events.size() - 1).envelope().id());
        }
        window.claimed(request.window(), events.size(), took);
        dependencies.listener().claimed(stream.name(), took, events.size());
        ScanLimit.Reach reach = request.reach();
        boolean again = nearOnly || depth.learn(reach, events.size(), round.isLong(), round.looked());
        boolean full = events.size() == stream.settings().batchSize() || round.isCut() || reading.isAlone();
        dependencies.announcements().claimed(stream.name(), () -> eventIds(events), full);
        return full || again || (!events.isEmpty() && (!round.skipped().isEmpty() || round.expiredFound()));
    }

    private static Set<UUID> eventIds(List<ClaimedEvent> events) {
        return events.stream().map((event) -> event.envelope().eventId()).collect(Collectors.toSet());
    }

    @Override
    public void begin(EventBatch batch) throws SQLException {
        FaultPoint.BEFORE_DISPATCH.reached();
        dependencies.registry().loadVersion(batch.registry());
    }

    @Override
    public boolean dispatch(EventBatch batch, SerialQueue<ClaimedEvent> queue, LeaseGuard guard) {
        List<ClaimedEvent> events = queue.peek(dependencies.dispatcher().batchSize(queue.peek()));
        List<DispatchedEvent> finished = dependencies.dispatcher().dispatch(events, batch.blocked(), guard);
        finished.forEach(batch::add);
        queue.advance(finished.size());
        return !finished.isEmpty();
    }

    @Override
    public Settled settle(EventBatch batch, boolean last, Mode mode) throws SQLException {
        long begun = System.nanoTime();
        List<DispatchedEvent> outcomes = batch.unsettled();
        SettlementStore.Settlement settlement = batch.settlement(outcomes, last);
        SettlementStore.Settled settled = write(batch, outcomes, settlement, mode);
        if (!settled.claimHeld()) {
            dependencies.listener().leaseLost(stream.name());
            log.warn(
                    "Lost the lease in stream {}; {} outcomes were not written, and the events are delivered again: {}",
                    stream.name(),
                    outcomes.size(),
                    batch);
            return Settled.LEASE_LOST;
        }
        dependencies.listener().settled(stream.name(), Duration.ofNanos(System.nanoTime() - begun), outcomes.size());
        if (!settlement.queued().isEmpty()) {
            queued = true;
        }
        if (mode == Mode.ISOLATED
                || settlement.queued().stream().anyMatch((one) -> one.outcome().isDead())) {
            dependencies.deadLettered().run();
        }
        List<DispatchedEvent> done =
                batch.removeSettled(outcomes, (outcome) -> settled.leftOver().contains(outcome.id()));
        done.stream()
                .filter((outcome) -> !outcome.isOpen())
                .forEach((outcome) -> dependencies.listener().completed(stream.name(), outcome.succeeded() ? 0 : 1));
        retries.adopt(
                done.stream().filter(DispatchedEvent::isLater).toList(),
                batch.claim().key(),
                batch.lease());
        if (done.stream().anyMatch(DispatchedEvent::delegated)) {
            dependencies.announcements().delegated(stream.name());
        }
        if (!settled.leftOver().isEmpty()) {
            return Settled.PARTLY;
        }
        if (last) {
            dependencies.listener().released(stream.name(), batch.heldFor());
        }
        return Settled.ALL;
    }

    private SettlementStore.Settled write(
            EventBatch batch, List<DispatchedEvent> outcomes, SettlementStore.Settlement settlement, Mode mode)
            throws SQLException {
        return switch (mode) {
            case BATCH -> settleBatch(settlement);
            case SKIP_LOCKED -> settlements.settleUnlocked(settlement);
            case ISOLATED -> isolator.settle(batch, outcomes, settlement.last());
        };
    }

    private SettlementStore.Settled settleBatch(SettlementStore.Settlement settlement) throws SQLException {
        FaultPoint.BEFORE_SETTLE.reached();
        SettlementStore.Settled settled = settlements.settle(settlement);
        FaultPoint.AFTER_SETTLE.reached();
        return settled;
    }
}
