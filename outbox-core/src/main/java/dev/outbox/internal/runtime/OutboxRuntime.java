package dev.outbox.internal.runtime;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.dispatch.DecoratedHandlers;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.dispatch.RunningHandlers;
import dev.outbox.internal.notify.WakeUp;
import dev.outbox.internal.publish.CommittedEvents;
import dev.outbox.internal.publish.TransactionalOutboxPublisher;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.retention.Retention;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Complete outbox: a publisher that works at once, and pollers that work between {@link #start} and {@link #close}. The tables must
 * exist, see {@link dev.outbox.internal.schema.OutboxMigrations}. Safe for use by many threads, and can be restarted.
 */
public final class OutboxRuntime implements AutoCloseable {

    private final RuntimeSettings settings;
    private final OutboxDependencies dependencies;
    private final OutboxListener listener;
    private final TransactionalOutboxPublisher publisher;
    private final Retention retention;
    private final RunningHandlers handlers;
    private final HandlerRegistry registry;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable StreamWorkers workers;
    private volatile Feeder.Factory feeder = Feeder.Factory.NONE;
    private volatile Supplier<Set<String>> stoppedInboxes = Set::of;
    private volatile Set<String> topics = Set.of();

    /** Creates an outbox that has not started. */
    public OutboxRuntime(
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            Supplier<? extends Collection<HandlerDefinition>> definitions) {
        OutboxSchema schema = settings.schemas().outbox();
        this.settings = settings;
        this.dependencies = dependencies;
        this.listener = new SafeListener(dependencies.extensions().listeners());
        this.handlers = new RunningHandlers(leases(settings), settings.dispatch(), dependencies.nanos());
        DecoratedHandlers decorated = new DecoratedHandlers(
                settings.dispatch(),
                dependencies.dataSource(),
                schema,
                dependencies.phase(),
                dependencies.transactions(),
                dependencies.extensions().interceptors(),
                listener);
        this.registry =
                new HandlerRegistry(() -> decorated.of(definitions.get(), handlers), dependencies.dataSource(), schema);
        this.publisher = new TransactionalOutboxPublisher(
                dependencies.dataSource(),
                schema,
                dependencies.phase(),
                settings.publisher(),
                settings.polling().streams().keySet(),
                registry,
                dependencies.mapper(),
                dependencies.extensions().headers(),
                dependencies.clock(),
                dependencies.nanos(),
                dependencies.random(),
                listener,
                this::committed);
        this.retention = new Retention(
                settings.retention(),
                dependencies.dataSource(),
                schema,
                settings.schemas().archive(),
                dependencies.clock(),
                dependencies.retentionSchedule());
    }

    private static Map<String, Duration> leases(RuntimeSettings settings) {
        Map<String, Duration> leases = new HashMap<>();
        settings.polling().streams().forEach((stream, poller) -> leases.put(stream, poller.lease()));
        return leases;
    }

    /** Returns the publisher, which works whether the outbox is started or not. */
    public OutboxPublisher publisher() {
        return publisher;
    }

    /** Returns the retention, for calls outside its schedule. */
    public Retention retention() {
        return retention;
    }

    /** Returns the database of the outbox, for modules that work on its tables. */
    public DataSource dataSource() {
        return dependencies.dataSource();
    }

    /** Returns where the tables are. */
    public RuntimeSettings.Schemas schemas() {
        return settings.schemas();
    }

    /** Returns the handlers of all instances. */
    public HandlerRegistry registry() {
        return registry;
    }

    /** Returns a listener that notifies those of the application, whatever they throw. */
    public OutboxListener listener() {
        return listener;
    }

    /** Lets a feeder add deliveries, from the next start on. */
    public void feedWith(Feeder.Factory feeder) {
        this.feeder = feeder;
    }

    /** Returns whether any instance has a handler for events of another service. Fails before this instance knows the others. */
    public boolean hasSubscribersOfReceived(String eventType, String aggregateType, @Nullable String stream) {
        String target = stream != null ? stream : settings.publisher().routing().streamOf(aggregateType);
        return registry.hasSubscribersOfReceived(eventType, aggregateType, target);
    }

    /** Returns whether this instance polls: it has streams to poll and, unless it is configured to poll without them, handlers. */
    public boolean polls() {
        return polling().enabled();
    }

    private RuntimeSettings.Polling polling() {
        return settings.polling().effective(!registry.local().all().isEmpty());
    }

    /** Returns the streams whose events wait because no running instance polls them, as far as this instance has found. */
    public Set<String> unpolledStreams() {
        StreamWorkers running = workers;
        return running == null ? Set.of() : running.unpolledStreams();
    }

    /** Returns the streams whose poller fails at present; none while the outbox is stopped. */
    public Set<String> failingStreams() {
        StreamWorkers running = workers;
        return running == null ? Set.of() : running.failingStreams();
    }

    /** Returns the event types of each handler of this instance. */
    public Map<String, Set<String>> eventTypesByHandler() {
        return registry.local().eventTypes();
    }

    /** Returns the handler invocations in progress. */
    public RunningHandlers runningHandlers() {
        return handlers;
    }

    /** Returns the ids of this instance's handlers whose circuit is open; none while the outbox is stopped. */
    public Set<String> openCircuits() {
        StreamWorkers running = workers;
        return running == null ? Set.of() : running.openCircuits();
    }

    /** Makes the signs of life of this instance name its topics, and the inboxes that receive nothing, each as {@code name: problem}. */
    public void setInboxes(Set<String> topics, Supplier<Set<String>> stopped) {
        this.topics = topics;
        stoppedInboxes = stopped;
    }

    /** Returns deliveries on the thread of the caller, for an outbox that polls no stream. Circuit breakers use the given time source. */
    public OnDemandDelivery onDemand(LongSupplier nanos, FailureObserver observer) {
        if (settings.polling().enabled()) {
            throw new IllegalStateException("the pollers of this instance deliver; set outbox.poller.enabled=false");
        }
        return new OnDemandDelivery(settings, dependencies, nanos, observer, listener, registry, feeder);
    }

    /**
     * Registers the handlers, unless they are registered: every instance queues the events that are published from now on for them. If the
     * database fails, logs that and tries again in the background. If a thread fails to start, nothing stays started.
     */
    public void register() {
        lock.lock();
        try {
            if (workers == null) {
                // An invalid handler fails the start, even of an instance that polls no stream.
                StreamWorkers registered = new StreamWorkers(
                        settings,
                        polling(),
                        dependencies,
                        listener,
                        registry,
                        handlers,
                        feeder,
                        () -> stoppedInboxes.get(),
                        () -> topics);
                orClose(registered, registered::register);
                workers = registered;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Registers the handlers and starts the pollers, unless the outbox is started. If a thread fails to start, nothing stays started. */
    public void start() {
        lock.lock();
        try {
            register();
            StreamWorkers registered = workers;
            if (registered != null && !registered.isStarted()) {
                orClose(registered, () -> {
                    registered.start();
                    retention.start();
                });
            }
        } finally {
            lock.unlock();
        }
    }

    private void orClose(StreamWorkers begun, Runnable step) {
        try {
            step.run();
        } catch (Throwable ex) {
            workers = null;
            begun.close();
            throw ex;
        }
    }

    /** Returns whether the pollers are started. */
    public boolean isRunning() {
        StreamWorkers running = workers;
        return running != null && running.isStarted();
    }

    /** Returns whether the handlers are registered, or are about to be in the background. */
    public boolean isRegistered() {
        return workers != null;
    }

    /**
     * Stops claiming, lets running handlers finish within the shutdown timeout, settles their outcomes and releases the other events.
     * Returns when all threads have ended; does nothing if the outbox is not started.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            StreamWorkers running = workers;
            if (running != null) {
                running.close();
                retention.close();
                workers = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private void committed(CommittedEvents events) {
        StreamWorkers running = workers;
        if (running != null) {
            running.published(events.wakeUp(), events.eventIds());
        }
    }

    /** Wakes every instance, for work that a committed transaction has made. */
    public void committed(WakeUp wakeUp) {
        StreamWorkers running = workers;
        if (running != null) {
            running.committed(wakeUp);
        }
    }

    /** Wakes the feeders of every instance. */
    public void wakeFeeder() {
        StreamWorkers running = workers;
        if (running != null) {
            running.wakeFeeder();
        }
    }
}
