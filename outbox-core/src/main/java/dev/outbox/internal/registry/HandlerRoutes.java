package dev.outbox.internal.registry;

import dev.outbox.HandlerDefinition;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Where events go by their type, aggregate type, stream and source, according to one read of the registry. Resolves former ids once, when it is created. Safe for
 * use by many threads.
 */
public final class HandlerRoutes {

    private final LocalHandlers local;
    private final List<RegisteredHandler> registered;

    /** The local handler that a registered one is, was or has become, by registered id; none if only other instances have it. */
    private final Map<String, HandlerDefinition> resolved = new HashMap<>();

    private final Map<Subscription, Route> byEvent = new ConcurrentHashMap<>();

    HandlerRoutes(LocalHandlers local, List<RegisteredHandler> registered) {
        this.local = local;
        this.registered = List.copyOf(registered);
        registered.forEach(this::resolve);
    }

    private void resolve(RegisteredHandler handler) {
        HandlerDefinition current = local.find(handler.id());
        if (current != null) {
            resolved.put(handler.id(), current);
            return;
        }
        for (String alias : handler.aliases()) {
            HandlerDefinition former = local.find(alias);
            if (former != null) {
                resolved.put(handler.id(), former);
                return;
            }
        }
    }

    /** Handlers of this instance that get an event, and ids of handlers to whose instances its deliveries are delegated. */
    public record Route(List<Local> local, List<String> delegated) {

        public boolean hasSubscribers() {
            return !local.isEmpty() || !delegated.isEmpty();
        }
    }

    /** Handler of this instance, with its ids and those that other instances have registered it under. */
    public record Local(HandlerDefinition handler, Set<String> ids, boolean paused) {

        /** A blocked lane keeps its id: in a rolling deploy, it may be one that the handler has in other instances. */
        public String lane(Set<String> blocked) {
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

    LocalHandlers local() {
        return local;
    }

    Route of(Subscription event) {
        Route known = byEvent.get(event);
        return known != null ? known : byEvent.computeIfAbsent(event, this::find);
    }

    /** A version of a handler here may not take an event that another version elsewhere does: such deliveries are delegated too. */
    private Route find(Subscription event) {
        List<String> delegated = registered.stream()
                .filter((one) -> one.takes(event))
                .filter((one) -> {
                    HandlerDefinition here = resolved.get(one.id());
                    return here == null || !local.takes(here, event);
                })
                .map(RegisteredHandler::id)
                .sorted()
                .toList();
        return new Route(
                local.subscribersOf(event).stream()
                        .map((handler) -> route(handler, event))
                        .toList(),
                delegated);
    }

    /** A lane under an id of another version is of use only if that version takes the event: this instance does not claim it. */
    private Local route(HandlerDefinition handler, Subscription event) {
        Set<String> ids = new LinkedHashSet<>();
        ids.add(handler.id());
        ids.addAll(handler.aliases());
        registered.stream()
                .filter((one) -> is(one.id(), handler) && one.takes(event))
                .map(RegisteredHandler::id)
                .forEach(ids::add);
        return new Local(handler, ids, isPaused(handler));
    }

    private boolean isPaused(HandlerDefinition handler) {
        return registered.stream().anyMatch((one) -> one.paused() && is(one.id(), handler));
    }

    private boolean is(String registeredId, HandlerDefinition handler) {
        return resolved.get(registeredId) == handler;
    }

    /** Returns the handlers of this instance that may get deliveries now, under their current and former ids. */
    ActiveHandlers active(Predicate<HandlerDefinition> circuitOpen) {
        SortedMap<String, Set<Subscription>> active = new TreeMap<>();
        for (HandlerDefinition handler : local.all()) {
            if (!circuitOpen.test(handler) && !isPaused(handler)) {
                Set<Subscription> taken = local.subscriptionsOf(handler);
                active.put(handler.id(), taken);
                handler.aliases().forEach((alias) -> active.put(alias, taken));
            }
        }
        return new ActiveHandlers(active);
    }

    /** Returns the ids of the handlers that only other instances have. */
    Set<String> elsewhere() {
        Set<String> ids = new TreeSet<>();
        registered.stream()
                .map(RegisteredHandler::id)
                .filter((id) -> !resolved.containsKey(id))
                .forEach(ids::add);
        return ids;
    }
}
