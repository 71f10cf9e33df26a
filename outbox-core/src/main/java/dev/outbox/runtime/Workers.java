package dev.outbox.runtime;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.RunningHandlers;
import dev.outbox.dispatch.Subscriptions;
import dev.outbox.duty.Crew;
import dev.outbox.duty.Duty;
import dev.outbox.duty.LeaseKeeper;
import dev.outbox.duty.Moment;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.poll.NotificationListener;
import dev.outbox.poll.Notifier;
import dev.outbox.poll.Poller;
import dev.outbox.poll.PollerResources;
import dev.outbox.poll.PollerSettings;
import dev.outbox.poll.Stream;
import dev.outbox.repair.Quarantine;
import dev.outbox.repair.RepairLanes;
import dev.outbox.repair.RepairResources;
import dev.outbox.repair.RepairSettings;
import dev.outbox.repair.ReplayFeeder;
import dev.outbox.repair.Replays;
import dev.outbox.repair.Retirement;
import dev.outbox.store.ClaimStore;
import dev.outbox.store.DeliveryClaimStore;
import dev.outbox.store.DeliverySettleStore;
import dev.outbox.store.HandlerStore;
import dev.outbox.store.OutboxSchema;
import dev.outbox.store.ReplayFeedStore;
import dev.outbox.store.ReplaySource;
import dev.outbox.store.RetirementStore;
import dev.outbox.store.SettleStore;
import dev.outbox.store.WakeUpStore;
import dev.outbox.store.WorkerPrivileges;
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
final class Workers implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Workers.class);

    private static final Duration HEARTBEAT = Duration.ofMinutes(1);
    private static final Duration BETWEEN_LOOKS_AT_HANDLERS = Duration.ofSeconds(1);
    private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final Map<String, Poller> pollers = new HashMap<>();
    private final LeaseKeeper leases;
    private final Subscriptions subscriptions;
    private final Retirement retirement;
    private final Duty heartbeat;
    private final Duty watch;
    private final RunningHandlers handlers;
    private final ReplayFeeder replays;
    private final WorkerPrivileges privileges;
    private final boolean polling;
    private final boolean listening;
    private final @Nullable Notifier notifier;
    private final @Nullable NotificationListener listener;
    private boolean registered;

    /**
     * What delivers an event.
     *
     * @param subscriptions knows the handlers of an event
     * @param dispatcher offers events to them
     * @param handlers lists those that run
     */
    record Delivery(Subscriptions subscriptions, Dispatcher dispatcher, RunningHandlers handlers) {}

    Workers(
            RuntimeSettings settings,
            Surroundings surroundings,
            OutboxObserver observer,
            Delivery delivery,
            Replays asked) {
        String worker = WorkerName.next(surroundings.random());
        DataSource dataSource = surroundings.dataSource();
        OutboxSchema schema = settings.schemas().outbox();
        RuntimeSettings.Polling polls = settings.polling();
        Duration shortestLease = polls.streams().values().stream()
                .map(PollerSettings::lease)
                .min(Duration::compareTo)
                .orElseThrow();
        this.subscriptions = delivery.subscriptions();
        this.handlers = delivery.handlers();
        this.retirement = new Retirement(new RetirementStore(dataSource, schema), polls.retireAfter());
        this.polling = polls.enabled();
        this.privileges =
                new WorkerPrivileges(dataSource, schema, settings.schemas().archive());
        this.leases = new LeaseKeeper(shortestLease, Moment.Source.system());
        this.heartbeat = new Duty("outbox-registry", this::beat);
        this.watch = new Duty("outbox-watch", this::watch, Workers::keepingProcessAlive);
        this.replays = new ReplayFeeder(
                new ReplaySource(dataSource, schema),
                new ReplayFeedStore(dataSource, schema),
                new ReplayFeeder.Registry(new HandlerStore(dataSource, schema), polls.retireAfter()),
                asked,
                (stream, handlerId, deliveries) -> {
                    observer.replayed(stream, handlerId, deliveries);
                    committed(stream);
                });
        PollerResources resources = new PollerResources(
                new ClaimStore(dataSource, schema),
                new SettleStore(dataSource, schema),
                subscriptions,
                delivery.dispatcher(),
                leases,
                observer,
                this::tellOthers);
        RepairResources repairs = new RepairResources(
                new DeliveryClaimStore(dataSource, schema),
                new DeliverySettleStore(dataSource, schema),
                delivery.dispatcher(),
                leases,
                observer,
                new Quarantine());
        if (polling) {
            Map<String, PollerSettings> streams =
                    Concurrency.within(surroundings.capacity().connections(), polls.polledStreams());
            streams.forEach((name, poller) -> {
                Crew crew = poller.concurrency() == 1
                        ? null
                        : new Crew(
                                "stream " + name,
                                poller.concurrency(),
                                surroundings.capacity().threads());
                pollers.put(name, new Poller(new Stream(name, worker, poller), resources, crew, (wake) -> {
                    RepairSettings repair = new RepairSettings(name, worker, poller.batchSize(), poller.lease());
                    return new RepairLanes(repair, repairs, crew, wake);
                }));
            });
        }
        this.notifier = polls.notifications() ? new Notifier(new WakeUpStore(dataSource, schema), worker) : null;
        this.listening = polls.notifications() && polling;
        this.listener = surroundings
                .unpooled()
                .filter((unpooled) -> listening)
                .map((unpooled) ->
                        new NotificationListener(new WakeUpStore(unpooled, schema), worker, this::wake, this::wakeAll))
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
            pollers.values().forEach(Poller::start);
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
        Poller poller = pollers.get(stream);
        if (poller != null) {
            poller.wake();
        }
    }

    private void wakeAll() {
        pollers.values().forEach(Poller::wake);
    }

    private Duration beat() throws SQLException {
        if (registered) {
            subscriptions.refresh();
        } else {
            register();
        }
        retirement.runOnce();
        return HEARTBEAT;
    }

    private void register() throws SQLException {
        subscriptions.register();
        registered = true;
        retirement.report();
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
            pollers.values().forEach(Poller::stopSoon);
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
                .sorted(Comparator.comparing(Poller::shutdownTimeout))
                .filter((poller) -> !poller.endsWithin(left(begun, poller.shutdownTimeout())))
                .forEach(Poller::interrupt);
        long interrupted = System.nanoTime();
        pollers.values().forEach((poller) -> poller.endsWithin(left(interrupted, GRACE_AFTER_INTERRUPT)));
        handlers.all()
                .forEach((running) -> log.warn(
                        "{}, which handles {}, ignores the interrupt and is abandoned; the event is delivered again",
                        running.handlerId(),
                        running.event()));
        pollers.values().forEach(Poller::close);
    }

    private static Duration left(long begun, Duration of) {
        Duration left = of.minusNanos(System.nanoTime() - begun);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
