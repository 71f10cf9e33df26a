package dev.outbox.internal.registry;

import dev.outbox.HandlerDefinition;
import java.util.Collections;
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
import org.jspecify.annotations.Nullable;

/**
 * Where events go by their type, aggregate type, stream and source, according to one read of the registry. Resolves former ids once, when it is created. Safe for
 * use by many threads.
 */
public final class HandlerRoutes {

    private final LocalHandlers local;
    private final List<RegisteredHandler> registered;

    /** The local handler that a registered one is, was or has become, by registered id; none if only other instances have it. */
    private final Map<String, HandlerDefinition> resolved = new HashMap<>();

    /** The ids under which lanes of each local handler may wait: its own, its former ones, and those that other versions have registered. */
    private final Map<String, Set<String>> everyId = new HashMap<>();

    private final Map<Subscription, Route> byEvent = new ConcurrentHashMap<>();

    HandlerRoutes(LocalHandlers local, List<RegisteredHandler> registered) {
        this.local = local;
        this.registered = List.copyOf(registered);
        registered.forEach(this::resolve);
        local.all().forEach((handler) -> everyId.put(handler.id(), everyIdOf(handler)));
    }

    private Set<String> everyIdOf(HandlerDefinition handler) {
        Set<String> ids = new LinkedHashSet<>();
        ids.add(handler.id());
        ids.addAll(handler.aliases());
        registered.stream()
                .map(RegisteredHandler::id)
                .filter((id) -> is(id, handler))
                .forEach(ids::add);
        return Collections.unmodifiableSet(ids);
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
                        .map((handler) -> new Local(handler, idsOf(handler), isPaused(handler)))
                        .toList(),
                delegated);
    }

    private boolean isPaused(HandlerDefinition handler) {
        return registered.stream().anyMatch((one) -> one.paused() && is(one.id(), handler));
    }

    private boolean is(String registeredId, HandlerDefinition handler) {
        return resolved.get(registeredId) == handler;
    }

    private Set<String> idsOf(HandlerDefinition handler) {
        return everyId.getOrDefault(handler.id(), Set.of());
    }

    /** Finds a handler of this instance by its current or a former id, or by one that another version of it has. */
    @Nullable
    HandlerDefinition find(String id) {
        HandlerDefinition own = local.find(id);
        return own != null ? own : resolved.get(id);
    }

    /** Returns the ids under which deliveries may wait for the handlers of this instance, with their handlers. */
    Map<String, HandlerDefinition> byEveryId() {
        Map<String, HandlerDefinition> handlers = new HashMap<>();
        for (HandlerDefinition handler : local.all()) {
            idsOf(handler).forEach((id) -> handlers.put(id, handler));
        }
        return handlers;
    }

    /**
     * Returns the handlers of this instance that may get deliveries now, under every id that {@link Local#ids} names. Under each, they get
     * the events that this version takes.
     */
    ActiveHandlers active(Predicate<HandlerDefinition> circuitOpen) {
        SortedMap<String, Set<Subscription>> active = new TreeMap<>();
        for (HandlerDefinition handler : local.all()) {
            if (!circuitOpen.test(handler) && !isPaused(handler)) {
                Set<Subscription> taken = local.subscriptionsOf(handler);
                idsOf(handler).forEach((id) -> active.put(id, taken));
            }
        }
        return new ActiveHandlers(active);
    }

    /** Returns the ids of the handlers that only other instances have. */
    Set<String> elsewhere() {
        Set<String> ids = new TreeSet<>();
        registered.stream()
                .filter((one) -> !one.subscriptions().isEmpty())
                .map(RegisteredHandler::id)
                .filter((id) -> !resolved.containsKey(id))
                .forEach(ids::add);
        return ids;
    }
}
