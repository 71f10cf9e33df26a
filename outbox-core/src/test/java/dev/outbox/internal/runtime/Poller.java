package dev.outbox.internal.runtime;

import dev.outbox.HandlerDefinition;
import dev.outbox.PayloadFormat;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.StreamDependencies;
import dev.outbox.internal.lease.LeaseRenewer;
import dev.outbox.internal.lease.Moment;
import dev.outbox.internal.notify.Announcements;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.poll.PollerSettings.PolledStream;
import dev.outbox.internal.poll.WorkerPool;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Poller whose rounds the test runs itself. */
final class Poller implements AutoCloseable {

    static final Duration LEASE = Duration.ofMinutes(1);

    final LeaseRenewer leases;
    final WorkerPool workers;
    private final StreamPoller poller;

    Poller(TestOutbox outbox, HandlerDefinition handler, RetryPolicy policy, int batchSize, int concurrency)
            throws SQLException {
        this.leases = new LeaseRenewer(LEASE, outbox.dataSource(), Moment.Source.system());
        HandlerRegistry registry =
                new HandlerRegistry(() -> List.of(handler), outbox.dataSource(), OutboxSchema.DEFAULT);
        registry.register();
        Dispatcher dispatcher = new Dispatcher(
                registry,
                new PayloadReader(PayloadFormat.mapper(), List.of()),
                new DispatchSettings(RetryPolicies.of(policy), Map.of()),
                OutboxListener.NONE,
                Clock.systemUTC(),
                System::nanoTime,
                new Random(),
                FailureObserver.NONE);
        PollerSettings settings =
                new PollerSettings(Duration.ofHours(1), batchSize, concurrency, LEASE, Duration.ofSeconds(10));
        this.workers = new WorkerPool("test", concurrency, Thread::new);
        this.poller = new StreamPoller(
                new PolledStream("default", "worker", settings),
                new StreamDependencies(
                        outbox.dataSource(),
                        OutboxSchema.DEFAULT,
                        registry,
                        dispatcher,
                        leases,
                        OutboxListener.NONE,
                        Announcements.NONE,
                        () -> {},
                        new StreamDependencies.CrashSuspects()),
                concurrency == 1 ? null : workers);
    }

    Duration runOnce() throws SQLException {
        return poller.runOnce();
    }

    @Override
    public void close() {
        poller.endsWithin(Duration.ofSeconds(10));
        poller.close();
    }
}
