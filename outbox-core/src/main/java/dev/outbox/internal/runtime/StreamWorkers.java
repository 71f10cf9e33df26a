package dev.outbox.internal.runtime;

import dev.outbox.internal.absence.HandlerExpiry;
import dev.outbox.internal.absence.UnpolledStreams;
import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.deadletter.DeadLetterReporter;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.dispatch.RunningHandlers;
import dev.outbox.internal.dispatch.StreamDependencies;
import dev.outbox.internal.lease.LeaseRenewer;
import dev.outbox.internal.lease.Moment;
import dev.outbox.internal.notify.Notifications;
import dev.outbox.internal.notify.WakeUp;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.poll.PollerSettings.PolledStream;
import dev.outbox.internal.poll.WorkerPool;
import dev.outbox.internal.publish.CommittedEvents;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.schedule.ScheduleMover;
import dev.outbox.internal.schema.WorkerPrivileges;
import dev.outbox.internal.sql.Counted;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads of a started outbox. */
final class StreamWorkers implements Notifications.WakeUps, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StreamWorkers.class);

    /** Bounds the wait for what a lost wake-up would have announced. */
    private static final Duration LOOK_PERIOD = Duration.ofSeconds(20);

    private static final Duration LOOK_PERIOD_WITHOUT_WAKE_UPS = Duration.ofSeconds(1);
    private static final Duration WATCH_PERIOD = Duration.ofSeconds(1);
    private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(1);

    /** How much later than the responder, or the mover that leads, another instance looks: at least half of it. */
    private static final Duration LATER = Duration.ofSeconds(1);

    /** How long a page of a replay, or a batch of scheduled events, has to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** What it does is repeated by other instances. */
    private static final Duration LONGEST_HOUSEKEEPING = Duration.ofSeconds(1);

    private final Map<String, StreamPoller> pollers = new HashMap<>();
    private final Map<String, Integer> threads = new HashMap<>();
    private final boolean polling;
    private final Set<String> polledStreams;
    private final boolean pollsAll;
    private final RandomGenerator random;
    private final Duration lookPeriod;
    private final RunningHandlers handlers;
    private final Dispatcher dispatcher;
    private final HandlerHeartbeat heartbeat;
    private final InstanceHeartbeat instance;
    private final LeaseRenewer leases;

    /** Adds what replays and scheduled events bring to the queue and the lanes. */
    private final BackgroundLoop feeder;

    private final BackgroundLoop.Task replays;
    private final BackgroundLoop.Task schedule;
    private final DeadLetterReporter deadLetters;
    private final Notifications notifications;
    private final BackgroundLoop watch;
    private final UnpolledStreams unpolled;

    /** Looks for work, keeps the registrations of this instance alive, and finds what no instance takes. */
    private final BackgroundLoop housekeeping;

    private final BackgroundLoop.@Nullable Task look;

    private volatile boolean started;

    StreamWorkers(
            RuntimeSettings settings,
            RuntimeSettings.Polling polls,
            OutboxDependencies dependencies,
            OutboxListener listener,
            HandlerRegistry registry,
            RunningHandlers handlers,
            Feeder.Factory feeders,
            Supplier<Set<String>> stoppedInboxes,
            Supplier<Set<String>> topics) {
        String worker = workerName(dependencies.random());
        DataSource dataSource = dependencies.dataSource();
        OutboxSchema schema = settings.schemas().outbox();
        this.polling = polls.enabled();
        this.polledStreams = polls.polledStreams().keySet();
        this.pollsAll = polling && polledStreams.containsAll(polls.streams().keySet());
        this.random = dependencies.random();
        Duration shortestLease = shortestLease(polls);
        // Sees every lease of another instance before it expires.
        this.lookPeriod = shortestLease.compareTo(LOOK_PERIOD) < 0 ? shortestLease : LOOK_PERIOD;
        this.handlers = handlers;
        this.heartbeat = new HandlerHeartbeat(
                new WorkerPrivileges(dataSource, schema, settings.schemas().archive()),
                registry,
                new HandlerExpiry(dataSource, schema),
                this::announce,
                () -> committed(WakeUp.EVERYTHING));
        this.leases = new LeaseRenewer(shortestLease, dataSource, Moment.Source.system());
        this.feeder = new BackgroundLoop("outbox-feeder", dataSource);
        this.replays = feeder.add(
                "outbox-replay",
                feeders.create((stream) -> committed(WakeUp.of(stream)), dependencies.nanos(), false)::runOnce);
        ScheduleMover mover =
                new ScheduleMover(dataSource, schema, polls.polledStreams().keySet(), (stream, events) -> {
                    listener.published(stream, events);
                    published(WakeUp.of(stream), Set.of());
                });
        this.schedule = feeder.add("outbox-schedule", () -> pause(mover.runOnce()));
        this.deadLetters = new DeadLetterReporter(
                dataSource, schema, registry::deadLetterHandlers, dependencies.transactions(), FailureObserver.NONE);
        this.notifications = new Notifications(
                polls.notifications(), polling, dataSource, dependencies.unpooled(), schema, worker, random, this);
        this.watch = new BackgroundLoop("outbox-watch", dataSource, this::watch, StreamWorkers::keepingProcessAlive);
        this.unpolled = new UnpolledStreams(dataSource, schema, Duration.ofMinutes(polling ? 5 : 1));
        this.dispatcher = dependencies.dispatcher(
                registry, settings.dispatch(), listener, dependencies.nanos(), FailureObserver.NONE);
        this.instance = new InstanceHeartbeat(
                new InstanceStore(dataSource, schema),
                worker,
                dependencies.application(),
                () -> new InstanceStore.Equipment(
                        polls.polledStreams().keySet(),
                        registry.everyId(),
                        registry.local().subscriptions(),
                        registry.deadLetterHandlers().keySet(),
                        dispatcher.openCircuits(),
                        stoppedInboxes.get(),
                        handlers.activity()),
                topics,
                this::looked);
        this.housekeeping = new BackgroundLoop("outbox-housekeeping", dataSource);
        this.look = polling ? housekeeping.add("outbox-instance", instance::runOnce) : null;
        if (polling) {
            housekeeping.add("outbox-registry", heartbeat::runOnce);
        }
        housekeeping.add("outbox-streams", unpolled::runOnce);
        StreamDependencies shared = new StreamDependencies(
                dataSource,
                schema,
                registry,
                dispatcher,
                leases,
                listener,
                notifications,
                deadLetters::wake,
                new StreamDependencies.CrashSuspects());
        PoolBudget.within(dependencies.capacity().connections(), polls.polledStreams())
                .forEach((name, poller) -> {
                    WorkerPool pool = pool(name, poller, dependencies.capacity());
                    pollers.put(name, new StreamPoller(new PolledStream(name, worker, poller), shared, pool));
                    threads.put(name, poller.concurrency());
                });
    }

    /** Returns the ids of the handlers whose circuit is open. */
    Set<String> openCircuits() {
        return dispatcher.openCircuits();
    }

    /** Returns the streams whose last round failed. */
    Set<String> failingStreams() {
        return pollers.entrySet().stream()
                .filter((poller) -> poller.getValue().isFailing())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    Set<String> unpolledStreams() {
        return unpolled.current();
    }

    /** Returns a name for {@code locked_by}: host, process id, and a random suffix that tells restarts apart. */
    private static String workerName(RandomGenerator random) {
        String suffix = HexFormat.of().toHexDigits(random.nextLong(), 6);
        return host() + ":" + ProcessHandle.current().pid() + ":" + suffix;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "unknown-host";
        }
    }

    private static Duration shortestLease(RuntimeSettings.Polling polls) {
        return polls.streams().values().stream()
                .map(PollerSettings::lease)
                .min(Duration::compareTo)
                .orElseThrow();
    }

    private static @Nullable WorkerPool pool(
            String stream, PollerSettings poller, OutboxDependencies.Capacity capacity) {
        return poller.concurrency() == 1
                ? null
                : new WorkerPool("stream " + stream, poller.concurrency(), capacity.threads());
    }

    /** Lists this instance and registers its handlers; if the database fails, both continue in the background. */
    void register() {
        if (polling) {
            instance.start();
            heartbeat.start();
            housekeeping.start();
        }
    }

    void start() {
        if (polling) {
            leases.start();
            pollers.values().forEach(StreamPoller::start);
            feeder.start();
            deadLetters.start();
            watch.start();
        }
        housekeeping.start();
        notifications.start();
        started = true;
    }

    boolean isStarted() {
        return started;
    }

    void wakeFeeder() {
        replays.wake();
        announce();
    }

    /** Makes the other instances look: for a replay, or for registrations. */
    private void announce() {
        notifications.committed(WakeUp.EVERYTHING);
    }

    /**
     * Wakes what has work that no wake-up has announced, and lets the other pollers rest as long as wake-ups arrive. Without wake-ups,
     * pollers find their work at their interval. Returns the time until the next look.
     */
    private Duration looked(InstanceStore.@Nullable Work work, long begun) {
        boolean wakeUps = notifications.areReceived();
        if (work != null) {
            notifications.know(work.pollers());
        }
        pollers.forEach((stream, poller) ->
                poller.looked(wakeUps && work != null && !work.streams().contains(stream), begun));
        if (work == null || work.replays()) {
            replays.wake();
        }
        if (work == null || work.deadLetters()) {
            deadLetters.wake();
        }
        if (work == null || work.scheduled()) {
            schedule.wake();
        }
        return wakeUps ? lookPeriod : LOOK_PERIOD_WITHOUT_WAKE_UPS;
    }

    /** Wakes every instance: only some of them can do this work. */
    void committed(WakeUp wakeUp) {
        wake(wakeUp);
        notifications.committed(wakeUp);
    }

    /** Wakes this instance if it can claim the events at once, and otherwise another one. Without ids, the events are not known. */
    void published(WakeUp wakeUp, Collection<UUID> eventIds) {
        String stream = wakeUp.stream();
        StreamPoller poller = pollers.get(stream);
        if (wakeUp.equals(WakeUp.SCHEDULED)) {
            wake(wakeUp);
            if (!pollsAll || !leads()) {
                notifications.committed(wakeUp);
            }
        } else if (poller == null || !polling) {
            notifications.published(stream);
        } else {
            if (poller.claimsSoon() && eventIds.size() <= CommittedEvents.MOST_IDS) {
                notifications.publishedHere(stream, eventIds);
            } else {
                notifications.published(stream);
            }
            poller.wake();
        }
    }

    @Override
    public void wake(WakeUp wakeUp, int hops) {
        StreamPoller poller = pollers.get(wakeUp.stream());
        if (poller != null && hops > 0 && !poller.claimsSoon()) {
            notifications.passOn(wakeUp, hops);
        }
        wake(wakeUp);
    }

    private void wake(WakeUp wakeUp) {
        switch (wakeUp.kind()) {
            case STREAM -> {
                StreamPoller poller = pollers.get(wakeUp.stream());
                if (poller != null) {
                    poller.wake();
                }
            }
            case SCHEDULED -> schedule.wakeWithin(leads() ? Duration.ZERO : later());
            case EVERYTHING -> wakeAll();
        }
    }

    @Override
    public void wakeLater(WakeUp wakeUp) {
        StreamPoller poller = pollers.get(wakeUp.stream());
        if (poller != null) {
            poller.wakeWithin(later());
        }
    }

    private boolean leads() {
        return notifications.leads(polledStreams);
    }

    /** Returns the time until the next round of the mover: one instance moves what is due, and the others look a little later. */
    private Duration pause(Duration untilDue) {
        return untilDue.isZero() || leads() ? untilDue : untilDue.plus(later());
    }

    private Duration later() {
        return LATER.dividedBy(2).plusNanos(random.nextLong(LATER.toNanos() / 2));
    }

    private void wakeAll() {
        pollers.values().forEach(StreamPoller::wake);
        if (look != null) {
            look.wake();
        }
        schedule.wake();
    }

    private Duration watch() {
        handlers.report(threads);
        dispatcher.failureLog().summarize();
        if (look != null && instance.isOutdated(handlers.anyLong())) {
            look.wake();
        }
        return WATCH_PERIOD;
    }

    /** Keeps a process without other threads alive while it polls; the watch is the one thread that never delays the end. */
    private static Thread keepingProcessAlive(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(false);
        return thread;
    }

    /** Leases are renewed to the last: they protect what the pollers still finish. */
    @Override
    public void close() {
        long begun = System.nanoTime();
        try {
            pollers.values().forEach(StreamPoller::stopSoon);
            Collection<RunningHandlers.Invoked> waitedFor = handlers.all();
            waitedFor.forEach(
                    (running) -> log.info("Waiting for handler {} to finish {}", running.handlerId(), running.event()));
            notifications.stopReceiving();
            feeder.close(PATIENCE);
            deadLetters.close();
            endPollers(begun);
            dispatcher.failureLog().summarize(Duration.ZERO);
            housekeeping.close(LONGEST_HOUSEKEEPING);
            Optional<Counted> waiting = instance.close();
            if (polling && started) {
                log.info(
                        "Outbox stopped: handlers that were running: {}{}",
                        waitedFor.size(),
                        waiting.map((events) -> "; events that wait: " + events).orElse(""));
            }
            announce();
            notifications.close();
            leases.close();
        } finally {
            watch.close();
        }
    }

    /** All streams share the time since the beginning. */
    private void endPollers(long begun) {
        pollers.values().stream()
                .sorted(Comparator.comparing(StreamPoller::shutdownTimeout))
                .filter((poller) -> !poller.endsWithin(left(begun, poller.shutdownTimeout())))
                .forEach(StreamPoller::interrupt);
        long interrupted = System.nanoTime();
        pollers.values().forEach((poller) -> poller.endsWithin(left(interrupted, GRACE_AFTER_INTERRUPT)));
        handlers.all()
                .forEach((running) -> log.warn(
                        "Handler {} ignored the interrupt while processing {}; abandoning it, the event will be redelivered after"
                                + " its lease expires",
                        running.handlerId(),
                        running.event()));
        pollers.values().forEach(StreamPoller::close);
    }

    private static Duration left(long begun, Duration of) {
        Duration left = of.minusNanos(System.nanoTime() - begun);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
