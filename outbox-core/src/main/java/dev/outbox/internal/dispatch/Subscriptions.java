package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.delivery.RegistryVersion;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.ActiveHandlers;
import dev.outbox.internal.store.HandlerStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who wants an event: the handlers of this process, and those that only other processes have. The latter come from the
 * registry in the database, which is read again when a claim shows that its version has changed.
 */
public final class Subscriptions {

    private static final Logger log = LoggerFactory.getLogger(Subscriptions.class);

    private final HandlerCatalog catalog;
    private final HandlerStore store;
    private final Duration retireAfter;
    private volatile Routes routes;
    private volatile @Nullable RegistryVersion version;

    /** Creates subscriptions. */
    public Subscriptions(HandlerCatalog catalog, HandlerStore store, Duration retireAfter) {
        this.catalog = catalog;
        this.store = store;
        this.retireAfter = retireAfter;
        this.routes = new Routes(catalog, List.of());
    }

    /** Registers the handlers of this process and reads those of the others. */
    public void register() throws SQLException {
        FaultPoint.BEFORE_REGISTRATION.reached();
        store.register(catalog.eventTypes(), catalog.aliases(), retireAfter);
        FaultPoint.AFTER_REGISTRATION.reached();
        store.seen(catalog.eventTypes());
        load();
    }

    /**
     * Notes that this process is alive, and reads the registry, so that expired handlers are forgotten. Registers the handlers
     * of this process again if the database has lost any of them.
     */
    public void refresh() throws SQLException {
        FaultPoint.BEFORE_HEARTBEAT.reached();
        boolean registered = store.seen(catalog.eventTypes());
        FaultPoint.AFTER_HEARTBEAT.reached();
        if (!registered) {
            log.warn("the database has lost registrations of this process; they are written again");
            register();
        }
        load();
    }

    /** Makes a stream known, with the registry as it is. */
    public void addStream(String stream) throws SQLException {
        store.addStream(stream);
    }

    /**
     * Makes sure that the registry is known as it was when a claim was made. At the first claim on a server, first writes what this process
     * knows of the registry: a restart or a failover may have lost it.
     */
    public void atVersion(RegistryVersion claimed) throws SQLException {
        RegistryVersion known = version;
        if (claimed.equals(known)) {
            return;
        }
        if (known == null || !known.server().equals(claimed.server())) {
            if (known != null) {
                log.info(
                        "the database was restarted, promoted or restored; registrations that it has lost are written again");
            }
            FaultPoint.BEFORE_REGISTRY_RESTORE.reached();
            restore();
            FaultPoint.AFTER_REGISTRY_RESTORE.reached();
        }
        load();
        version = claimed;
    }

    /** What other processes have registered meanwhile stays as it is. */
    private void restore() throws SQLException {
        Map<String, Set<String>> eventTypes = new HashMap<>(catalog.eventTypes());
        Map<String, List<String>> aliases = new HashMap<>(catalog.aliases());
        Set<String> present = new HashSet<>();
        store.list(retireAfter).forEach((handler) -> present.add(handler.id()));
        for (RegisteredHandler known : routes.registry()) {
            if (!present.contains(known.id())) {
                eventTypes.putIfAbsent(known.id(), known.eventTypes());
                aliases.putIfAbsent(known.id(), List.copyOf(known.aliases()));
            }
        }
        store.register(eventTypes, aliases, retireAfter);
    }

    /**
     * Says whether a claim shows that the registry is no longer what it was known as. To be asked before the active handlers are, since
     * another stream's claim may have found out in between.
     */
    public Predicate<RegistryVersion> outdated() {
        RegistryVersion known = version;
        return (claimed) -> known != null && !known.equals(claimed);
    }

    /** One after the other: what was read before must not replace what was read later, or events would pass handlers by. */
    private synchronized void load() throws SQLException {
        FaultPoint.BEFORE_REGISTRY_LOAD.reached();
        Routes found = new Routes(catalog, store.list(retireAfter));
        FaultPoint.AFTER_REGISTRY_LOAD.reached();
        if (!routes.elsewhere().equals(found.elsewhere())) {
            log.info("handlers that only other processes have: {}", found.elsewhere());
        }
        routes = found;
    }

    /** Returns the handlers of this process. */
    public HandlerCatalog local() {
        return catalog;
    }

    /** Where the events of a type go. */
    Routes.Route route(String eventType) {
        return routes.of(eventType);
    }

    /** Returns the handlers of this process that are to get deliveries now, under their own and their former ids. */
    ActiveHandlers active(Predicate<HandlerDefinition> resting) {
        SortedMap<String, Set<String>> active = new TreeMap<>();
        catalog.eventTypes().forEach((id, types) -> {
            HandlerDefinition handler = catalog.find(id);
            if (handler != null && !resting.test(handler) && !routes.isPaused(handler)) {
                active.put(id, types);
                handler.aliases().forEach((alias) -> active.put(alias, types));
            }
        });
        return new ActiveHandlers(active);
    }

    /** Says whether any process has a handler for an event type. */
    public boolean wanted(String eventType) {
        Routes.Route route = routes.of(eventType);
        return !route.local().isEmpty() || !route.remote().isEmpty();
    }
}
