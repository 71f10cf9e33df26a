package dev.outbox.internal.runtime;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.background.LeaseRenewer;
import dev.outbox.internal.background.Moment;
import dev.outbox.internal.background.WorkerPool;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.HandlerRegistry;
import dev.outbox.internal.dispatch.RunningHandlers;
import dev.outbox.internal.maintenance.HandlerExpiry;
import dev.outbox.internal.maintenance.ReplayFeeder;
import dev.outbox.internal.operations.JdbcReplays;
import dev.outbox.internal.processing.NotificationListener;
import dev.outbox.internal.processing.Notifier;
import dev.outbox.internal.processing.PolledStream;
import dev.outbox.internal.processing.PollerSettings;
import dev.outbox.internal.processing.StreamDependencies;
import dev.outbox.internal.processing.StreamPoller;
import dev.outbox.internal.store.HandlerExpiryStore;
import dev.outbox.internal.store.NotificationChannel;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.internal.store.ReplayDeliveryStore;
import dev.outbox.internal.store.ReplayEventStore;
import dev.outbox.internal.store.WorkerPrivileges;
import dev.outbox.listener.OutboxListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a started outbox. */
final class StreamWorkers implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StreamWorkers.class);

    private static final Duration HEARTBEAT = Duration.ofMinutes(1);
    private static final Duration BETWEEN_LOOKS_AT_HANDLERS = Duration.ofSeconds(1);
    private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final Map<String, StreamPoller> pollers = new HashMap<>();
    private final LeaseRenewer leases;
    private final HandlerRegistry registry;
    private final HandlerExpiry expiry;
    private final BackgroundLoop heartbeat;
    private final BackgroundLoop watch;
    private final RunningHandlers handlers;
    private final ReplayFeeder replays;
    private final WorkerPrivileges privileges;
    private final boolean polling;
    private final boolean listening;
    private final @Nullable Notifier notifier;
    private final @Nullable NotificationListener listener;
    private boolean registered;

    /** What delivers an event. */
    record Delivery(HandlerRegistry registry, Dispatcher dispatcher, RunningHandlers handlers) {}

    StreamWorkers(
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            OutboxListener listener,
            Delivery delivery,
            JdbcReplays asked) {
        String worker = WorkerName.next(dependencies.random());
        DataSource dataSource = dependencies.dataSource();
        OutboxSchema schema = settings.schemas().outbox();
        RuntimeSettings.Polling polls = settings.polling();
        Duration shortestLease = polls.streams().values().stream()
                .map(PollerSettings::lease)
                .min(Duration::compareTo)
                .orElseThrow();
        this.registry = delivery.registry();
        this.handlers = delivery.handlers();
        this.expiry = new HandlerExpiry(new HandlerExpiryStore(dataSource, schema), polls.expireAfter());
        this.polling = polls.enabled();
        this.privileges =
                new WorkerPrivileges(dataSource, schema, settings.schemas().archive());
        this.leases = new LeaseRenewer(shortestLease, Moment.Source.system());
        this.heartbeat = new BackgroundLoop("outbox-registry", this::beat);
        this.watch = new BackgroundLoop("outbox-watch", this::watch, StreamWorkers::keepingProcessAlive);
        this.replays = new ReplayFeeder(
                new ReplayEventStore(dataSource, schema),
                new ReplayDeliveryStore(dataSource, schema),
                registry,
                asked,
                (stream, handlerId, deliveries) -> {
                    listener.replayed(stream, handlerId, deliveries);
                    committed(stream);
                });
        StreamDependencies shared = StreamDependencies.of(
                dataSource, schema, registry, delivery.dispatcher(), leases, listener, this::tellOthers);
        if (polling) {
            PoolBudget.within(dependencies.capacity().connections(), polls.polledStreams())
                    .forEach((name, poller) -> {
                        WorkerPool workers = poller.concurrency() == 1
                                ? null
                                : new WorkerPool(
                                        "stream " + name,
                                        poller.concurrency(),
                                        dependencies.capacity().threads());
                        pollers.put(name, new StreamPoller(new PolledStream(name, worker, poller), shared, workers));
                    });
        }
        this.notifier =
                polls.notifications() ? new Notifier(new NotificationChannel(dataSource, schema), worker) : null;
        this.listening = polls.notifications() && polling;
        this.listener = dependencies
                .unpooled()
                .filter((unpooled) -> listening)
                .map((unpooled) -> new NotificationListener(
                        new NotificationChannel(unpooled, schema), worker, this::wake, this::wakeAll))
                .orElse(null);
    }

    void start() {
        if (polling) {
            try {
                privileges.check();
                register();
            } catch (SQLException ex) {
                log.warn("the handlers could not be registered yet; this goes on in the background", ex);
            }
            heartbeat.start();
            leases.start();
            pollers.values().forEach(StreamPoller::start);
            replays.start();
            watch.start();
        } else {
            log.info("this process polls no stream: it publishes, and leaves the handling to others");
        }
        if (notifier != null) {
            notifier.start();
        }
        if (listener != null) {
            listener.start();
        } else if (listening) {
            log.info(
                    "wake-ups of other processes are not received: the DataSource does not say how to open a connection outside"
                            + " its pool; streams are polled at their interval");
        }
    }

    void replayAskedFor() {
        replays.wake();
    }

    void committed(String stream) {
        wake(stream);
        tellOthers(stream);
    }

    private void tellOthers(String stream) {
        if (notifier != null) {
            notifier.committed(stream);
        }
    }

    private void wake(String stream) {
        StreamPoller poller = pollers.get(stream);
        if (poller != null) {
            poller.wake();
        }
    }

    private void wakeAll() {
        pollers.values().forEach(StreamPoller::wake);
    }

    private Duration beat() throws SQLException {
        if (registered) {
            registry.heartbeat();
        } else {
            register();
        }
        expiry.runOnce();
        return HEARTBEAT;
    }

    private void register() throws SQLException {
        registry.register();
        registered = true;
        expiry.report();
    }

    private Duration watch() {
        handlers.reportStuck();
        return BETWEEN_LOOKS_AT_HANDLERS;
    }

    /** Polling is work: a process without other threads lives on for it. This thread does nothing that could keep it from ending. */
    private static Thread keepingProcessAlive(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(false);
        return thread;
    }

    /** All streams share the time that passes from here on. The leases last: they protect what the pollers are still finishing. */
    @Override
    public void close() {
        long begun = System.nanoTime();
        try {
            pollers.values().forEach(StreamPoller::stopSoon);
            handlers.all()
                    .forEach((running) ->
                            log.info("stopping waits for {}, which handles {}", running.handlerId(), running.event()));
            if (listener != null) {
                listener.close();
            }
            replays.close();
            endPollers(begun);
            if (notifier != null) {
                pollers.keySet().forEach(this::tellOthers);
                notifier.close();
            }
            heartbeat.close();
            leases.close();
        } finally {
            watch.close();
        }
    }

    private void endPollers(long begun) {
        pollers.values().stream()
                .sorted(Comparator.comparing(StreamPoller::shutdownTimeout))
                .filter((poller) -> !poller.endsWithin(left(begun, poller.shutdownTimeout())))
                .forEach(StreamPoller::interrupt);
        long interrupted = System.nanoTime();
        pollers.values().forEach((poller) -> poller.endsWithin(left(interrupted, GRACE_AFTER_INTERRUPT)));
        handlers.all()
                .forEach((running) -> log.warn(
                        "{}, which handles {}, ignores the interrupt and is abandoned; the event is delivered again",
                        running.handlerId(),
                        running.event()));
        pollers.values().forEach(StreamPoller::close);
    }

    private static Duration left(long begun, Duration of) {
        Duration left = of.minusNanos(System.nanoTime() - begun);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
