package dev.outbox.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.store.HandlerStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private volatile Map<String, Set<String>> remote = Map.of();
    private volatile long version = -1;

    /**
     * Creates subscriptions.
     *
     * @param catalog the handlers of this process
     * @param store the registry of all processes
     * @param retireAfter the time after which a handler that no process has is no longer counted on
     */
    public Subscriptions(HandlerCatalog catalog, HandlerStore store, Duration retireAfter) {
        this.catalog = catalog;
        this.store = store;
        this.retireAfter = retireAfter;
    }

    /**
     * Registers the handlers of this process and reads those of the others.
     *
     * @throws SQLException if the database refused or could not be reached
     */
    public void register() throws SQLException {
        store.register(catalog.eventTypes(), retireAfter);
        store.seen(catalog.eventTypes().keySet());
        load();
    }

    /**
     * Notes that this process is alive, and reads the registry, so that handlers nobody has any more are forgotten.
     *
     * @throws SQLException if the database refused or could not be reached
     */
    public void refresh() throws SQLException {
        store.seen(catalog.eventTypes().keySet());
        load();
    }

    /**
     * Makes a stream known, with the registry as it is.
     *
     * @param stream the stream
     * @throws SQLException if the database refused or could not be reached
     */
    public void addStream(String stream) throws SQLException {
        store.addStream(stream);
    }

    /**
     * Makes sure that the registry is known as it was when a claim was made.
     *
     * @param claimedVersion the version that the claim read
     * @throws SQLException if the database refused or could not be reached
     */
    public void atVersion(long claimedVersion) throws SQLException {
        if (version != claimedVersion) {
            load();
            version = claimedVersion;
        }
    }

    private void load() throws SQLException {
        Map<String, Set<String>> others = new HashMap<>(store.list(retireAfter));
        others.keySet().removeAll(catalog.eventTypes().keySet());
        if (!others.equals(remote)) {
            log.info("handlers that only other processes have: {}", others.keySet());
        }
        remote = Map.copyOf(others);
    }

    /**
     * Returns the handlers of this process.
     *
     * @return the catalog
     */
    public HandlerCatalog local() {
        return catalog;
    }

    /**
     * Returns the handlers that want an event type and live in other processes only.
     *
     * @param eventType the type
     * @return their ids
     */
    public List<String> remoteWanting(String eventType) {
        Map<String, Set<String>> others = remote;
        if (others.isEmpty()) {
            return List.of();
        }
        return others.entrySet().stream()
                .filter((entry) -> HandlerCatalog.wants(entry.getValue(), eventType))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /**
     * Says whether any process has a handler for an event type.
     *
     * @param eventType the type
     * @return whether somebody wants it
     */
    public boolean wanted(String eventType) {
        List<HandlerDefinition> local = catalog.wanting(eventType);
        return !local.isEmpty() || !remoteWanting(eventType).isEmpty();
    }
}
