package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.internal.delivery.RegisteredHandler;
import dev.outbox.internal.store.ActiveHandlers;
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
 * Where the events of each type go, according to one read of the registry. Resolves former ids once, when it is created. Safe for
 * use by many threads.
 */
final class HandlerRoutes {

    private final LocalHandlers local;
    private final List<RegisteredHandler> registered;

    /** The local handler that a registered one is, was or has become, by registered id; none if only other instances have it. */
    private final Map<String, HandlerDefinition> resolved = new HashMap<>();

    private final Map<String, Route> byEventType = new ConcurrentHashMap<>();

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
    record Route(List<Local> local, List<String> delegated) {

        boolean hasSubscribers() {
            return !local.isEmpty() || !delegated.isEmpty();
        }
    }

    /** Handler of this instance, with all ids that any instance has registered it under. */
    record Local(HandlerDefinition handler, Set<String> ids, boolean paused) {

        /** A blocked lane keeps its id: in a rolling deploy, it may be one that the handler has in other instances. */
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

    LocalHandlers local() {
        return local;
    }

    List<RegisteredHandler> registered() {
        return registered;
    }

    Route of(String eventType) {
        Route known = byEventType.get(eventType);
        return known != null ? known : byEventType.computeIfAbsent(eventType, this::find);
    }

    /** An older version here may not subscribe to a type that a newer one elsewhere does: such deliveries are delegated too. */
    private Route find(String eventType) {
        List<String> delegated = registered.stream()
                .filter((one) -> one.isSubscribedTo(eventType))
                .filter((one) -> {
                    HandlerDefinition here = resolved.get(one.id());
                    return here == null || !local.isSubscribed(here, eventType);
                })
                .map(RegisteredHandler::id)
                .sorted()
                .toList();
        return new Route(
                local.subscribersOf(eventType).stream().map(this::route).toList(), delegated);
    }

    private Local route(HandlerDefinition handler) {
        Set<String> ids = new LinkedHashSet<>();
        ids.add(handler.id());
        ids.addAll(handler.aliases());
        registered.stream()
                .map(RegisteredHandler::id)
                .filter((id) -> is(id, handler))
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
        SortedMap<String, Set<String>> active = new TreeMap<>();
        for (HandlerDefinition handler : local.all()) {
            if (!circuitOpen.test(handler) && !isPaused(handler)) {
                Set<String> types = local.eventTypesOf(handler);
                active.put(handler.id(), types);
                handler.aliases().forEach((alias) -> active.put(alias, types));
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
