package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.internal.delivery.RegisteredHandler;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Where the events of each type go, as the registry of all processes was when it was read. Safe for use by many threads. */
final class Routes {

    private final HandlerCatalog catalog;
    private final List<RegisteredHandler> registry;
    private final Map<String, Route> byEventType = new ConcurrentHashMap<>();

    Routes(HandlerCatalog catalog, List<RegisteredHandler> registry) {
        this.catalog = catalog;
        this.registry = List.copyOf(registry);
    }

    /** Where the events of one type go. */
    record Route(List<Local> local, List<String> remote) {}

    /** A handler of this process. */
    record Local(HandlerDefinition handler, Set<String> ids, boolean paused) {

        /** In a rolling deploy a blocked lane may go by another name of the handler, under which it must go on. */
        String lane(Set<String> blocked) {
            if (!blocked.isEmpty()) {
                for (String id : ids) {
                    if (blocked.contains(id)) {
                        return id;
                    }
                }
            }
            return handler.id();
        }
    }

    List<RegisteredHandler> registry() {
        return registry;
    }

    Route of(String eventType) {
        Route known = byEventType.get(eventType);
        return known != null ? known : byEventType.computeIfAbsent(eventType, this::find);
    }

    private Route find(String eventType) {
        List<Local> local = catalog.wanting(eventType).stream().map(this::local).toList();
        List<String> remote = registry.stream()
                .filter((one) -> HandlerCatalog.wants(one.eventTypes(), eventType))
                .filter((one) -> {
                    HandlerDefinition here = here(one);
                    return here == null || !catalog.wants(here, eventType);
                })
                .map(RegisteredHandler::id)
                .sorted()
                .toList();
        return new Route(local, remote);
    }

    private Local local(HandlerDefinition handler) {
        Set<String> ids = new LinkedHashSet<>();
        ids.add(handler.id());
        ids.addAll(handler.aliases());
        registry.stream().filter((one) -> here(one) == handler).forEach((one) -> ids.add(one.id()));
        return new Local(handler, ids, isPaused(handler));
    }

    boolean isPaused(HandlerDefinition handler) {
        return registry.stream().anyMatch((one) -> one.paused() && here(one) == handler);
    }

    /** The registered handlers that this process has not. */
    Set<String> elsewhere() {
        Set<String> ids = new TreeSet<>();
        registry.stream().filter((one) -> here(one) == null).forEach((one) -> ids.add(one.id()));
        return ids;
    }

    /** The handler of this process that a registered one is, was, or has become; {@code null} if there is none. */
    private @Nullable HandlerDefinition here(RegisteredHandler registered) {
        HandlerDefinition here = catalog.find(registered.id());
        if (here != null) {
            return here;
        }
        for (String alias : registered.aliases()) {
            HandlerDefinition former = catalog.find(alias);
            if (former != null) {
                return former;
            }
        }
        return null;
    }
}
