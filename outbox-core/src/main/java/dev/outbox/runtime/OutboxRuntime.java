package dev.outbox.runtime;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxPublisher;
import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.HandlerCatalog;
import dev.outbox.dispatch.RunningHandlers;
import dev.outbox.dispatch.Subscriptions;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.observe.SafeObserver;
import dev.outbox.publish.Audience;
import dev.outbox.publish.PublisherResources;
import dev.outbox.publish.TransactionalOutboxPublisher;
import dev.outbox.repair.OutboxOperations;
import dev.outbox.repair.Replays;
import dev.outbox.retention.Retention;
import dev.outbox.store.ArchiveStore;
import dev.outbox.store.HandlerStore;
import dev.outbox.store.IdleAggregateStore;
import dev.outbox.store.InboxStore;
import dev.outbox.store.OutboxSchema;
import dev.outbox.store.ReplayRemovalStore;
import dev.outbox.store.ReplayStore;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A whole outbox: a publisher that works at once, and pollers that work between {@link #start} and {@link #close}. The tables
 * must exist, see {@link dev.outbox.schema.OutboxMigrations}. Safe for use by many threads; may be started again.
 */
public final class OutboxRuntime implements AutoCloseable {

    private final RuntimeSettings settings;
    private final Surroundings surroundings;
    private final OutboxObserver observer;
    private final Supplier<Collection<HandlerDefinition>> definitions;
    private final OutboxPublisher publisher;
    private final Retention retention;
    private final OutboxOperations operations;
    private final Replays replays;
    private final RunningHandlers handlers;
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock finding = new ReentrantLock();
    private volatile @Nullable Subscriptions subscriptions;
    private volatile @Nullable Workers workers;

    /**
     * Creates an outbox that has not started.
     *
     * @param settings how it works
     * @param surroundings what it is given
     * @param definitions finds the handlers; asked once, when the outbox starts or first needs to know
     */
    public OutboxRuntime(
            RuntimeSettings settings,
            Surroundings surroundings,
            Supplier<? extends Collection<HandlerDefinition>> definitions) {
        OutboxSchema schema = settings.schemas().outbox();
        this.settings = settings;
        this.surroundings = surroundings;
        this.observer = new SafeObserver(surroundings.observer());
        this.definitions = definitions::get;
        this.handlers = new RunningHandlers(leases(settings), settings.dispatch(), surroundings.nanos());
        this.publisher = new TransactionalOutboxPublisher(
                new PublisherResources(
                        surroundings.dataSource(),
                        surroundings.phase(),
                        schema,
                        surroundings.mapper(),
                        surroundings.clock(),
                        surroundings.random(),
                        settings.polling().streams().keySet()),
                settings.publisher(),
                audience(),
                this::wake,
                observer);
        this.retention = new Retention(
                settings.retention(),
                new ArchiveStore(
                        surroundings.dataSource(), schema, settings.schemas().archive()),
                new InboxStore(surroundings.dataSource(), schema),
                new IdleAggregateStore(surroundings.dataSource(), schema),
                surroundings.clock(),
                surroundings.retentionSchedule());
        this.operations = new OutboxOperations(surroundings.dataSource(), schema, this::wake);
        this.replays = new Replays(
                new ReplayStore(surroundings.dataSource(), schema),
                new ReplayRemovalStore(surroundings.dataSource(), schema),
                new HandlerStore(surroundings.dataSource(), schema),
                settings.polling().retireAfter(),
                this::wakeReplays);
    }

    private static Map<String, Duration> leases(RuntimeSettings settings) {
        Map<String, Duration> leases = new HashMap<>();
        settings.polling().streams().forEach((stream, poller) -> leases.put(stream, poller.lease()));
        return leases;
    }

    /**
     * Returns the publisher. It works whether the outbox is started or not.
     *
     * @return the publisher
     */
    public OutboxPublisher publisher() {
        return publisher;
    }

    /**
     * Returns the retention, for calls outside its schedule.
     *
     * @return the retention
     */
    public Retention retention() {
        return retention;
    }

    /**
     * Returns what an operator may ask and do. It works whether the outbox is started or not.
     *
     * @return the operations
     */
    public OutboxOperations operations() {
        return operations;
    }

    /**
     * Returns the replays. They may be asked for whether the outbox is started or not.
     *
     * @return the replays
     */
    public Replays replays() {
        return replays;
    }

    /**
     * Returns the handler invocations that run now.
     *
     * @return the invocations
     */
    public RunningHandlers runningHandlers() {
        return handlers;
    }

    /**
     * Registers the handlers and starts the pollers. Does nothing if the outbox is started. Where a thread fails to start, that is thrown,
     * nothing stays started, and another attempt may follow.
     *
     * @throws dev.outbox.HandlerConfigurationException if a handler cannot be registered
     */
    public void start() {
        lock.lock();
        try {
            if (workers == null) {
                Workers started = new Workers(settings, surroundings, observer, delivery(), replays);
                startOrClose(started);
                workers = started;
            }
        } finally {
            lock.unlock();
        }
    }

    private void startOrClose(Workers started) {
        try {
            started.start();
            retention.start();
        } catch (Throwable ex) {
            started.close();
            throw ex;
        }
    }

    /**
     * Says whether the outbox is started.
     *
     * @return whether it is
     */
    public boolean isRunning() {
        return workers != null;
    }

    /**
     * Stops claiming, lets running handlers finish within the shutdown timeout, settles what is done and sets the rest free.
     * Returns when all threads have ended. May be called twice, or before the start.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            Workers running = workers;
            if (running != null) {
                running.close();
                retention.close();
                workers = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private void wake(String stream) {
        Workers running = workers;
        if (running != null) {
            running.committed(stream);
        }
    }

    private void wakeReplays() {
        Workers running = workers;
        if (running != null) {
            running.replayAskedFor();
        }
    }

    private Audience audience() {
        return new Audience() {

            @Override
            public boolean hasSubscribers(String eventType) {
                return subscriptions().wanted(eventType);
            }

            @Override
            public @Nullable Class<?> payloadClassOf(String eventType) {
                Subscriptions known = subscriptions;
                return known == null ? null : known.local().payloadClassOf(eventType);
            }
        };
    }

    /** Not under the lock of start and close: a handler that publishes while its outbox closes must not wait for the end. */
    private Subscriptions subscriptions() {
        Subscriptions known = subscriptions;
        return known != null ? known : findSubscriptions();
    }

    private Subscriptions findSubscriptions() {
        finding.lock();
        try {
            Subscriptions found = subscriptions;
            if (found == null) {
                found = new Subscriptions(
                        new HandlerCatalog(new DecoratedHandlers(settings, surroundings, observer)
                                .of(definitions.get(), handlers)),
                        new HandlerStore(
                                surroundings.dataSource(), settings.schemas().outbox()),
                        settings.polling().retireAfter());
                subscriptions = found;
            }
            return found;
        } finally {
            finding.unlock();
        }
    }

    private Workers.Delivery delivery() {
        return new Workers.Delivery(subscriptions(), dispatcher(), handlers);
    }

    private Dispatcher dispatcher() {
        return new Dispatcher(
                subscriptions(),
                surroundings.mapper(),
                settings.dispatch(),
                observer,
                new Dispatcher.TimeAndChance(surroundings.clock(), surroundings.nanos(), surroundings.random()));
    }
}
