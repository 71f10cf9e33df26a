package dev.outbox.internal.registry;

import dev.outbox.EventUpcaster;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.internal.payload.PayloadReader;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Handlers of this instance by current id, former id and event type. Immutable. */
public final class LocalHandlers {

    private final Map<String, HandlerDefinition> byId = new LinkedHashMap<>();
    private final Map<String, HandlerDefinition> byEveryId = new HashMap<>();
    private final Map<String, Set<Subscription>> subscriptions = new LinkedHashMap<>();
    private final Map<String, Class<?>> payloadClasses = new HashMap<>();

    /** Checks the handlers against each other. */
    public LocalHandlers(Collection<HandlerDefinition> handlers) {
        HandlerRules.check(handlers);
        for (HandlerDefinition handler : handlers) {
            byId.put(handler.id(), handler);
            byEveryId.put(handler.id(), handler);
            handler.aliases().forEach((alias) -> byEveryId.put(alias, handler));
            subscriptions.put(handler.id(), HandlerRules.subscriptionsOf(handler));
            for (Class<?> payloadClass : HandlerRules.payloadClassesOf(handler)) {
                payloadClasses.put(DeclaredType.of(payloadClass).name(), payloadClass);
            }
        }
    }

    /** Returns the handlers. */
    public Collection<HandlerDefinition> all() {
        return byId.values();
    }

    /** Returns what each handler takes. */
    public Map<String, Set<Subscription>> subscriptions() {
        return Map.copyOf(subscriptions);
    }

    /** Returns the event types of each handler. */
    public Map<String, Set<String>> eventTypes() {
        Map<String, Set<String>> types = new HashMap<>();
        byId.forEach((id, handler) -> types.put(id, HandlerRules.eventTypesOf(handler)));
        return types;
    }

    /** Creates the reader of payloads. Throws an exception if the upcasters do not lead to the handlers' classes, or the mapper cannot read them. */
    public PayloadReader payloads(JsonMapper mapper, List<EventUpcaster> upcasters) {
        PayloadReader payloads = new PayloadReader(mapper, upcasters);
        payloads.requireVersionsOf(all(), eventTypes().values());
        payloads.requireReadable(all());
        return payloads;
    }

    /** Returns the payload classes of all handlers. */
    public Collection<Class<?>> payloadClasses() {
        return payloadClasses.values();
    }

    Map<String, List<String>> aliases() {
        Map<String, List<String>> aliases = new HashMap<>();
        byId.forEach((id, handler) -> aliases.put(id, handler.aliases()));
        return aliases;
    }

    /** Finds a handler by its current or a former id. */
    @Nullable
    HandlerDefinition find(String id) {
        return byEveryId.get(id);
    }

    Set<Subscription> subscriptionsOf(HandlerDefinition handler) {
        return subscriptions.getOrDefault(handler.id(), Set.of());
    }

    /** Returns whether a handler takes events with these values. */
    boolean takes(HandlerDefinition handler, Subscription event) {
        return subscriptionsOf(handler).stream().anyMatch((own) -> own.takes(event));
    }

    List<HandlerDefinition> subscribersOf(Subscription event) {
        return all().stream().filter((handler) -> takes(handler, event)).toList();
    }

    public @Nullable Class<?> payloadClassOf(String eventType) {
        return payloadClasses.get(eventType);
    }
}
