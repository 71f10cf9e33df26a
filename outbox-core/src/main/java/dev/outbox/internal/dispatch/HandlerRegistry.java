package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.delivery.RegistryVersion;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.ActiveHandlers;
import dev.outbox.internal.store.HandlerStore;
import java.sql.SQLException;
import java.time.Duration;
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
    private final Duration expireAfter;
    private final ReentrantLock finding = new ReentrantLock();
    private final ReentrantLock loading = new ReentrantLock();
    private volatile @Nullable HandlerRoutes routes;
    private volatile @Nullable RegistryVersion version;
    private volatile boolean loaded;

    /** The registry of one server. That of another may lack some of it, until a claim has restored it there. */
    private volatile HandlerStore.@Nullable Listed complete;

    /** Creates a registry that asks for the handlers of this instance when it first needs them. */
    public HandlerRegistry(
            Supplier<? extends Collection<HandlerDefinition>> definitions, HandlerStore store, Duration expireAfter) {
        this.definitions = definitions;
        this.store = store;
        this.expireAfter = expireAfter;
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
        store.register(local.eventTypes(), local.aliases(), expireAfter);
        FaultPoint.AFTER_REGISTRATION.reached();
        store.heartbeat(local.eventTypes(), expireAfter);
        load(null);
    }

    /** Extends the registrations of this instance, writes them again if the database has lost any, and reads the registry. */
    public void heartbeat() throws SQLException {
        FaultPoint.BEFORE_HEARTBEAT.reached();
        boolean registered = store.heartbeat(local().eventTypes(), expireAfter);
        FaultPoint.AFTER_HEARTBEAT.reached();
        if (!registered) {
            log.warn("The database has lost registrations of this instance's handlers; registering them again");
            register();
        }
        load(null);
    }

    /** Adds a stream to those whose claims depend on the registry. */
    public void addStream(String stream) throws SQLException {
        store.addStream(stream);
    }

    /**
     * Loads the registry unless it is known in the version that a claim is valid for. The first claim on a server first restores what
     * this instance knows: a restart or a failover may have lost registrations.
     */
    public void loadVersion(RegistryVersion claimed) throws SQLException {
        RegistryVersion known = version;
        if (claimed.equals(known)) {
            return;
        }
        if (known == null || !known.server().equals(claimed.server())) {
            if (known != null) {
                log.info("The database was restarted, promoted or restored; registering the handlers that it has lost");
            }
            FaultPoint.BEFORE_REGISTRY_RESTORE.reached();
            restore(claimed.server());
            FaultPoint.AFTER_REGISTRY_RESTORE.reached();
            load(claimed.server());
        } else {
            load(null);
        }
        version = claimed;
    }

    /** Registers the handlers and event types that this instance has, or knows from another server, and the database lacks. */
    private void restore(String server) throws SQLException {
        Map<String, Set<String>> eventTypes = new HashMap<>(local().eventTypes());
        Map<String, List<String>> aliases = new HashMap<>(local().aliases());
        Map<String, RegisteredHandler> present = new HashMap<>();
        store.list(expireAfter).handlers().forEach((handler) -> present.put(handler.id(), handler));
        for (RegisteredHandler known : knownFromOtherThan(server)) {
            Set<String> types = new HashSet<>(known.eventTypes());
            types.addAll(eventTypes.getOrDefault(known.id(), Set.of()));
            eventTypes.put(known.id(), types);
            RegisteredHandler current = present.getOrDefault(known.id(), known);
            aliases.putIfAbsent(known.id(), current.aliases().stream().sorted().toList());
        }
        store.register(eventTypes, aliases, expireAfter);
    }

    /** Returns none if the registry was read from the same server: what it lacks now has expired there. */
    private List<RegisteredHandler> knownFromOtherThan(String server) {
        HandlerStore.Listed known = complete;
        return known == null || known.server().equals(server) ? List.of() : known.handlers();
    }

    /**
     * Returns a check whether a claim shows a newer version than the one known now. Call it before {@link #active}: the claim of another
     * stream may load a newer version in between.
     */
    public Predicate<RegistryVersion> versionCheck() {
        RegistryVersion known = version;
        return (claimed) -> known != null && !known.equals(claimed);
    }

    /** One at a time: an earlier read must not replace a later one, or events would miss handlers. */
    private void load(@Nullable String restored) throws SQLException {
        loading.lock();
        try {
            HandlerRoutes known = routes();
            FaultPoint.BEFORE_REGISTRY_LOAD.reached();
            HandlerStore.Listed listed = store.list(expireAfter);
            HandlerRoutes found = new HandlerRoutes(known.local(), listed.handlers());
            FaultPoint.AFTER_REGISTRY_LOAD.reached();
            if (!known.elsewhere().equals(found.elsewhere())) {
                log.info("Handlers that only other instances have: {}", found.elsewhere());
            }
            HandlerStore.Listed before = complete;
            if (before == null
                    || listed.server().equals(before.server())
                    || listed.server().equals(restored)) {
                complete = listed;
            }
            routes = found;
            loaded = true;
        } finally {
            loading.unlock();
        }
    }

    /** Finds a handler of any instance by its current or a former id, in the database. */
    public Optional<RegisteredHandler> resolve(String id) throws SQLException {
        return RegisteredHandler.resolve(id, store.list(expireAfter).handlers());
    }

    /** Returns how long after its last heartbeat a registration expires. */
    public Duration expireAfter() {
        return expireAfter;
    }

    HandlerRoutes.Route route(String eventType) {
        return routes().of(eventType);
    }

    /** Finds a handler of this instance by its current or a former id. */
    @Nullable
    HandlerDefinition find(String id) {
        return local().find(id);
    }

    ActiveHandlers active(Predicate<HandlerDefinition> circuitOpen) {
        return routes().active(circuitOpen);
    }

    /** Returns whether any instance has a handler for an event type. */
    public boolean hasSubscribers(String eventType) {
        return route(eventType).hasSubscribers();
    }

    /** Returns the ids of the handlers that any instance has for an event type. Fails before the registry was read for the first time. */
    public Set<String> subscribersOf(String eventType) {
        if (!loaded) {
            throw new IllegalStateException("the handlers of the other instances are not known yet");
        }
        HandlerRoutes.Route route = route(eventType);
        Set<String> ids = new HashSet<>(route.delegated());
        route.local().forEach((local) -> ids.add(local.handler().id()));
        return ids;
    }

    /** Returns the payload class that handlers of this instance have for an event type; none as long as no handler was needed. */
    public @Nullable Class<?> payloadClassOf(String eventType) {
        HandlerRoutes known = routes;
        return known == null ? null : known.local().payloadClassOf(eventType);
    }
}
