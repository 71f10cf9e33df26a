package dev.outbox.internal.registry;

import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.DeadLetterHandler;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handlers of this instance and of all others. The others are known from the registry in the database, which is read again when a
 * claim shows a new version of it. Safe for use by many threads.
 */
public final class HandlerRegistry {

    private static final Logger log = LoggerFactory.getLogger(HandlerRegistry.class);

    private final Supplier<? extends Collection<HandlerDefinition>> definitions;
    private final HandlerStore store;
    private final ReentrantLock finding = new ReentrantLock();
    private final ReentrantLock loading = new ReentrantLock();
    private volatile @Nullable HandlerRoutes routes;
    private volatile @Nullable Version version;
    private volatile HandlerStore.@Nullable Listed listed;

    /**
     * Version that a claim is valid for. The server is an incarnation of the database, and its start. A pause that ends by itself raises no
     * number: the microsecond at which the last one did, by the clock of the claim, tells such versions apart.
     */
    public record Version(String server, long number, long lastPauseEnd) {}

    /** Creates a registry that asks for the handlers of this instance when it first needs them. */
    public HandlerRegistry(
            Supplier<? extends Collection<HandlerDefinition>> definitions, DataSource dataSource, OutboxSchema schema) {
        this.definitions = definitions;
        this.store = new HandlerStore(dataSource, schema);
    }

    /** Returns the handlers of this instance, checked against each other. */
    public LocalHandlers local() {
        return routes().local();
    }

    /** Not under a lock that a stopping outbox holds: a handler that publishes meanwhile must not wait for the end. */
    private HandlerRoutes routes() {
        HandlerRoutes known = routes;
        return known != null ? known : findHandlers();
    }

    private HandlerRoutes findHandlers() {
        finding.lock();
        try {
            HandlerRoutes found = routes;
            if (found == null) {
                found = new HandlerRoutes(new LocalHandlers(definitions.get()), List.of());
                routes = found;
            }
            return found;
        } finally {
            finding.unlock();
        }
    }

    /** Registers the handlers of this instance and reads those of the others. */
    public void register() throws SQLException {
        LocalHandlers local = local();
        FaultPoint.BEFORE_REGISTRATION.reached();
        store.register(local.subscriptions(), local.aliases(), HandlerStore.STANDSTILL);
        FaultPoint.AFTER_REGISTRATION.reached();
        store.heartbeat(local.subscriptions());
        load();
    }

    /** Renews the registrations of this instance, writes them again if any is missing or old, and reads the registry. */
    public void heartbeat() throws SQLException {
        FaultPoint.BEFORE_HEARTBEAT.reached();
        boolean registered = store.heartbeat(local().subscriptions());
        FaultPoint.AFTER_HEARTBEAT.reached();
        if (!registered) {
            log.info(
                    "Registrations of this instance's handlers are missing, or were not renewed for {} min; registering them again",
                    HandlerStore.STANDSTILL.toMinutes());
            register();
        }
        load();
    }

    /** Adds a stream to those whose claims depend on the registry. */
    public void addStream(String stream) throws SQLException {
        store.addStream(stream);
    }

    /**
     * Reloads the registry unless the cached version matches the claim's. An instance that was suspended for longer than its
     * subscriptions live registers again, before it dispatches what it has claimed.
     */
    public void loadVersion(Version claimed) throws SQLException {
        Version known = version;
        if (claimed.equals(known)) {
            return;
        }
        if (known == null || !known.server().equals(claimed.server())) {
            FaultPoint.BEFORE_REGISTRY_RESTORE.reached();
            store.register(local().subscriptions(), local().aliases(), HandlerStore.EXPIRE_AFTER);
            FaultPoint.AFTER_REGISTRY_RESTORE.reached();
        }
        load();
        if (!hasOwnSubscriptions()) {
            log.info(
                    "Subscriptions of this instance have expired while it did not run; registering its handlers again");
            store.register(local().subscriptions(), local().aliases(), HandlerStore.STANDSTILL);
            load();
        }
        version = claimed;
    }

    /** Returns whether the registry, as it was read last, has all subscriptions of this instance. */
    private boolean hasOwnSubscriptions() {
        HandlerStore.Listed found = listed;
        Map<String, Set<Subscription>> registered = new HashMap<>();
        if (found != null) {
            found.handlers().forEach((handler) -> registered.put(handler.id(), handler.subscriptions()));
        }
        return local().subscriptions().entrySet().stream()
                .allMatch(
                        (own) -> registered.getOrDefault(own.getKey(), Set.of()).containsAll(own.getValue()));
    }

    /**
     * Returns a check whether a claim shows a newer version than the one known now. Call it before {@link #active}: the claim of another
     * stream may load a newer version in between.
     */
    public Predicate<Version> versionCheck() {
        Version known = version;
        return (claimed) -> known != null && !known.equals(claimed);
    }

    /**
     * Reads the registry. That of another server, after a restart or a failover, may have lost registrations: they are restored before it
     * counts. One at a time: an earlier read must not replace a later one, or events would miss handlers.
     */
    private void load() throws SQLException {
        loading.lock();
        try {
            HandlerRoutes known = routes();
            FaultPoint.BEFORE_REGISTRY_LOAD.reached();
            HandlerStore.Listed found = store.list();
            HandlerStore.Listed before = listed;
            if (before != null && !before.server().equals(found.server())) {
                log.info(
                        "The database was restarted, promoted or restored: handlers that it lacks are registered again");
                restore(before.handlers(), found.handlers());
                found = store.list();
            }
            HandlerRoutes current = new HandlerRoutes(known.local(), found.handlers());
            FaultPoint.AFTER_REGISTRY_LOAD.reached();
            if (!known.elsewhere().equals(current.elsewhere())) {
                log.info("Registered handlers that this instance does not have: {}", current.elsewhere());
            }
            routes = current;
            listed = found;
        } finally {
            loading.unlock();
        }
    }

    /** Registers the handlers and subscriptions of this instance, and those that it has read from another server. */
    private void restore(List<RegisteredHandler> before, List<RegisteredHandler> found) throws SQLException {
        Map<String, Set<Subscription>> subscriptions = new HashMap<>(local().subscriptions());
        Map<String, List<String>> aliases = new HashMap<>(local().aliases());
        Map<String, RegisteredHandler> present = new HashMap<>();
        found.forEach((handler) -> present.put(handler.id(), handler));
        for (RegisteredHandler known : before) {
            if (known.subscriptions().isEmpty()) {
                continue;
            }
            Set<Subscription> taken = new HashSet<>(known.subscriptions());
            taken.addAll(subscriptions.getOrDefault(known.id(), Set.of()));
            subscriptions.put(known.id(), taken);
            RegisteredHandler current = present.getOrDefault(known.id(), known);
            aliases.putIfAbsent(known.id(), current.aliases().stream().sorted().toList());
        }
        store.register(subscriptions, aliases, HandlerStore.EXPIRE_AFTER);
    }

    /** Finds a handler of any instance by its current or a former id, in the database, unless its registration has expired. */
    public Optional<RegisteredHandler> resolve(String id) throws SQLException {
        return RegisteredHandler.resolve(id, store.list().handlers())
                .filter((handler) -> !handler.subscriptions().isEmpty());
    }

    public HandlerRoutes.Route route(Subscription event) {
        return routes().of(event);
    }

    /** Finds a handler of this instance by its current or a former id, or by one that another version of it has. */
    @Nullable
    public HandlerDefinition find(String id) {
        return routes().find(id);
    }

    /** Returns every id under which deliveries may wait for the handlers of this instance. */
    public Set<String> everyId() {
        return Set.copyOf(routes().byEveryId().keySet());
    }

    /** Returns the code for dead letters by every id of its handler. */
    public Map<String, DeadLetterHandler> deadLetterHandlers() {
        Map<String, DeadLetterHandler> found = new HashMap<>();
        routes().byEveryId().forEach((id, handler) -> {
            DeadLetterHandler own = handler.deadLetterHandler();
            if (own != null) {
                found.put(id, own);
            }
        });
        return found;
    }

    public ActiveHandlers active(Predicate<HandlerDefinition> circuitOpen) {
        return routes().active(circuitOpen);
    }

    /** Returns whether any instance has a handler for events with these values. */
    public boolean hasSubscribers(Subscription event) {
        return route(event).hasSubscribers();
    }

    /** Returns the same for events of another service. Fails before the registry was read, so that the handlers of the other instances count. */
    public boolean hasSubscribersOfReceived(String eventType, String aggregateType, String stream) {
        if (listed == null) {
            throw new IllegalStateException("the handlers of the other instances are not known yet");
        }
        return hasSubscribers(Subscription.of(eventType, aggregateType, stream, true));
    }

    /** Returns the payload class that handlers of this instance have for an event type; none as long as no handler was needed. */
    public @Nullable Class<?> payloadClassOf(String eventType) {
        HandlerRoutes known = routes;
        return known == null ? null : known.local().payloadClassOf(eventType);
    }
}
