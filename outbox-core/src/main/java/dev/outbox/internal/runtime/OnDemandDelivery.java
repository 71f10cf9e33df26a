package dev.outbox.internal.runtime;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.deadletter.DeadLetterReporter;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.dispatch.StreamDependencies;
import dev.outbox.internal.lane.RetryLanes;
import dev.outbox.internal.lease.LeaseRenewer;
import dev.outbox.internal.lease.Moment;
import dev.outbox.internal.notify.Announcements;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.poll.PollerSettings.PolledStream;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.schedule.ScheduleMover;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Delivers on the thread of the caller instead of the threads of a started outbox: all streams in turn, one event at a time. For the test
 * kit; one caller at a time.
 */
public final class OnDemandDelivery implements AutoCloseable {

    /** Outlasts a break point in a handler: no thread renews it. */
    private static final Duration LEASE = Duration.ofHours(1);

    /** How long a round, or a redelivery, waits for outcomes that come later. */
    public static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private static final String WORKER = "on-demand";

    private final Map<String, StreamPoller> pollers = new TreeMap<>();
    private final LeaseRenewer leases;
    private final Map<String, PollerSettings> streams;
    private final Supplier<StreamDependencies> shared;
    private final Feeder replays;
    private final ScheduleMover schedule;
    private final DeadLetterReporter deadLetters;
    private StreamDependencies current;

    OnDemandDelivery(
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            LongSupplier nanos,
            FailureObserver observer,
            OutboxListener listener,
            HandlerRegistry registry,
            Feeder.Factory feeders) {
        DataSource dataSource = dependencies.dataSource();
        OutboxSchema schema = settings.schemas().outbox();
        this.leases = new LeaseRenewer(LEASE, dataSource, Moment.Source.system());
        this.streams = settings.polling().streams();
        this.shared = () -> new StreamDependencies(
                dataSource,
                schema,
                registry,
                dependencies.dispatcher(registry, settings.dispatch(), listener, nanos, observer),
                leases,
                listener,
                Announcements.NONE,
                () -> {},
                new StreamDependencies.CrashSuspects());
        this.replays = feeders.create((stream) -> {}, nanos, true);
        this.schedule = new ScheduleMover(dataSource, schema, streams.keySet(), listener::published);
        this.deadLetters = new DeadLetterReporter(
                dataSource, schema, registry::deadLetterHandlers, dependencies.transactions(), observer);
        this.current = shared.get();
        reset();
    }

    /** Forgets open circuits and what the pollers remember of the tables, for example because they were emptied. */
    public void reset() {
        close();
        current = shared.get();
        streams.forEach((name, poller) -> pollers.put(
                name, new StreamPoller(new PolledStream(name, WORKER, withOwnLease(poller)), current, null)));
    }

    private static PollerSettings withOwnLease(PollerSettings poller) {
        return new PollerSettings(poller.interval(), poller.batchSize(), LEASE, poller.shutdownTimeout());
    }

    /** Registers the handlers of this instance. */
    public void register() throws SQLException {
        current.registry().register();
    }

    /**
     * Runs one round of the replays, of scheduled events, of every stream and of the dead-letter methods. Returns whether to call again at once; if not, more may
     * be due all the same after a round that has published or handled an event.
     */
    public boolean runOnce() throws SQLException {
        boolean more = replays.runOnce().isZero();
        more |= schedule.runOnce().isZero();
        for (StreamPoller poller : pollers.values()) {
            more |= poller.runOnce().isZero();
            more |= poller.awaitOutcomes(LONGEST_WAIT);
        }
        return deadLetters.runOnce().isZero() || more;
    }

    /** Returns whether outcomes that come later have not come yet. */
    public boolean isAwaiting() {
        return pollers.values().stream().anyMatch(StreamPoller::isAwaiting);
    }

    /**
     * Delivers an event to a handler of this instance once more, as after a crash that came before its outcome was stored. Only the handler
     * writes.
     */
    public DeliveryOutcome redeliver(EventEnvelope event, String handlerId) {
        return RetryLanes.redeliver(event, handlerId, current, LEASE, LONGEST_WAIT);
    }

    /** Settles what is unsettled, and releases the rest. */
    @Override
    public void close() {
        pollers.values().forEach(StreamPoller::close);
    }
}
