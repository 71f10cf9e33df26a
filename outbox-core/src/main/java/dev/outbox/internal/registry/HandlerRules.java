package dev.outbox.internal.registry;

import dev.outbox.EventTypeName;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.internal.payload.PayloadClasses;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Rules that the handlers of one instance must keep, alone and together. */
final class HandlerRules {

    private static final int LONGEST_ID = 255;

    private final Map<String, HandlerDefinition> byId = new LinkedHashMap<>();
    private final Map<String, Class<?>> payloadTypes = new HashMap<>();
    private final Map<String, Taken> byPayloadClass = new HashMap<>();

    /** Class that stands for an event type of a handler. */
    private record Taken(HandlerDefinition handler, Class<?> payloadClass) {

        @Override
        public String toString() {
            return handler.payloadType() == payloadClass
                    ? handler.toString()
                    : handler + " with " + payloadClass.getName();
        }
    }

    private HandlerRules() {}

    static void check(Collection<HandlerDefinition> handlers) {
        HandlerRules rules = new HandlerRules();
        for (HandlerDefinition handler : handlers) {
            rules.checkId(handler);
            checkPayloadType(handler);
            checkEventTypes(handler);
            rules.checkVersions(handler);
            rules.checkPayloadClasses(handler);
        }
        handlers.forEach(rules::checkAliases);
    }

    /** Returns the event types that a handler names, or else those of its payload class. */
    static Set<String> eventTypesOf(HandlerDefinition handler) {
        Class<?> payloadType = decodedClass(handler);
        return handler.eventTypes().isEmpty() && payloadType != null
                ? PayloadClasses.of(payloadType).eventTypes()
                : handler.eventTypes();
    }

    /** Returns what a handler takes: each of its event types with each of its aggregate types and streams. */
    static Set<Subscription> subscriptionsOf(HandlerDefinition handler) {
        String source = handler.source() == HandlerDefinition.Source.ANY
                ? Subscription.ANY
                : handler.source().name();
        Set<Subscription> subscriptions = new TreeSet<>();
        for (String type : eventTypesOf(handler)) {
            for (String aggregateType : orAny(handler.aggregateTypes())) {
                orAny(handler.streams())
                        .forEach((stream) -> subscriptions.add(new Subscription(type, aggregateType, stream, source)));
            }
        }
        return subscriptions;
    }

    private static Set<String> orAny(Set<String> names) {
        return names.isEmpty() ? Set.of(Subscription.ANY) : names;
    }

    /** Returns the classes that stand for a handler's event types; none if the handler names its types, or for a copy. */
    static List<Class<?>> payloadClassesOf(HandlerDefinition handler) {
        Class<?> payloadType = handler.payloadType();
        if (payloadType == null || !handler.eventTypes().isEmpty()) {
            return List.of();
        }
        return PayloadClasses.of(payloadType).concrete().stream()
                .filter((type) -> !DeclaredType.of(type).copy())
                .toList();
    }

    private static @Nullable Class<?> decodedClass(HandlerDefinition handler) {
        return handler.payloadType() == JsonNode.class ? null : handler.payloadType();
    }

    private void checkId(HandlerDefinition handler) {
        checkId(handler.id());
        HandlerDefinition twin = byId.putIfAbsent(handler.id(), handler);
        if (twin != null) {
            throw new OutboxConfigurationException("two handlers have the id '" + handler.id() + "': " + twin + " and "
                    + handler + "; ids are stored with deliveries and must be unique");
        }
    }

    private static void checkId(String id) {
        boolean unusable = id.codePoints()
                .anyMatch((point) -> Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE);
        if (id.isBlank() || id.length() > LONGEST_ID || unusable) {
            throw new OutboxConfigurationException("a handler id must have 1 to " + LONGEST_ID
                    + " characters, without control characters and unpaired surrogates: '" + id + "'");
        }
    }

    private static void checkPayloadType(HandlerDefinition handler) {
        Class<?> payloadType = decodedClass(handler);
        if (payloadType == null) {
            return;
        }
        try {
            PayloadClasses classes = PayloadClasses.of(payloadType);
            for (String type : new TreeSet<>(handler.eventTypes())) {
                if (!classes.takes(type) && !type.equals(HandlerDefinition.ALL_EVENT_TYPES)) {
                    throw new OutboxConfigurationException("handler '" + handler.id() + "' names event type '" + type
                            + "', for which no permitted type of " + payloadType.getName() + " stands; it has "
                            + new TreeSet<>(classes.eventTypes()));
                }
            }
        } catch (IllegalArgumentException ex) {
            throw new OutboxConfigurationException("handler '" + handler.id() + "' takes " + ex.getMessage());
        }
    }

    private static void checkEventTypes(HandlerDefinition handler) {
        Set<String> types = new TreeSet<>(eventTypesOf(handler));
        if (types.isEmpty()) {
            throw new OutboxConfigurationException(
                    "handler '" + handler.id() + "' names no event type; set eventTypes, or \"*\" for all");
        }
        for (String type : types) {
            boolean all = type.equals(HandlerDefinition.ALL_EVENT_TYPES);
            if (all && decodedClass(handler) != null) {
                throw new OutboxConfigurationException("handler '" + handler.id()
                        + "' subscribes to every event type, so its parameter must be EventEnvelope or JsonNode, not "
                        + handler.payloadType());
            }
            if (!all && !EventTypeName.isValid(type)) {
                throw new OutboxConfigurationException("event type '" + type + "' of handler '" + handler.id()
                        + "' is invalid: an event type must " + EventTypeName.RULE);
            }
        }
    }

    private void checkVersions(HandlerDefinition handler) {
        Class<?> payloadType = decodedClass(handler);
        if (payloadType != null) {
            PayloadClasses.of(payloadType).concrete().forEach(this::checkVersion);
        }
    }

    private void checkVersion(Class<?> payloadType) {
        DeclaredType type = DeclaredType.of(payloadType);
        Class<?> other = payloadTypes.putIfAbsent(type.name(), payloadType);
        if (other != null && DeclaredType.of(other).version() != type.version()) {
            throw new OutboxConfigurationException("event type " + type.name() + " has version "
                    + DeclaredType.of(other).version() + " in " + other.getName() + " and version " + type.version()
                    + " in " + payloadType.getName() + "; one application handles one version of a type");
        }
    }

    private void checkPayloadClasses(HandlerDefinition handler) {
        for (Class<?> payloadClass : payloadClassesOf(handler)) {
            String type = DeclaredType.of(payloadClass).name();
            Taken other = byPayloadClass.putIfAbsent(type, new Taken(handler, payloadClass));
            if (other != null && other.payloadClass() != payloadClass) {
                throw new OutboxConfigurationException("two classes stand for event type " + type
                        + ", so each would get the other's events:\n    " + other + "\n    "
                        + new Taken(handler, payloadClass)
                        + "; name another type with @EventType, or mark the class that repeats the other's contract"
                        + " @EventType(copy = true)");
            }
        }
    }

    private void checkAliases(HandlerDefinition handler) {
        for (String alias : handler.aliases()) {
            checkId(alias);
            HandlerDefinition other = byId.putIfAbsent(alias, handler);
            if (other != null) {
                throw new OutboxConfigurationException("alias '" + alias + "' of handler '" + handler.id()
                        + "' is already used by " + other + "; ids and aliases must be unique");
            }
        }
    }
}
