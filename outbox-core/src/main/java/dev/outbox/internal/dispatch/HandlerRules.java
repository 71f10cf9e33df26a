package dev.outbox.internal.dispatch;

import dev.outbox.EventType;
import dev.outbox.HandlerConfigurationException;
import dev.outbox.HandlerDefinition;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Rules that the handlers of one instance must keep, alone and together. */
final class HandlerRules {

    private static final int LONGEST_ID = 255;
    private static final Pattern PASCAL_CASE = Pattern.compile("[A-Z][A-Za-z0-9]*");

    private final Map<String, HandlerDefinition> byId = new LinkedHashMap<>();
    private final Map<String, Class<?>> payloadTypes = new HashMap<>();
    private final Map<String, HandlerDefinition> byPayloadClass = new HashMap<>();

    private HandlerRules() {}

    static void check(Collection<HandlerDefinition> handlers) {
        HandlerRules rules = new HandlerRules();
        for (HandlerDefinition handler : handlers) {
            rules.checkId(handler);
            checkEventTypes(handler);
            rules.checkVersion(handler);
            rules.checkPayloadClass(handler);
        }
        handlers.forEach(rules::checkAliases);
    }

    /** Returns the event types that a handler names, or else the one of its payload class. */
    static Set<String> eventTypesOf(HandlerDefinition handler) {
        Class<?> payloadType = decodedClass(handler);
        return handler.eventTypes().isEmpty() && payloadType != null
                ? Set.of(eventTypeOf(payloadType))
                : handler.eventTypes();
    }

    /** Returns the class that stands for a handler's event type; none if the handler names its types, or the class is a copy. */
    static @Nullable Class<?> payloadClassOf(HandlerDefinition handler) {
        Class<?> payloadType = handler.payloadType();
        if (payloadType == null || !handler.eventTypes().isEmpty()) {
            return null;
        }
        EventType annotation = payloadType.getAnnotation(EventType.class);
        return annotation != null && annotation.copy() ? null : payloadType;
    }

    static String eventTypeOf(Class<?> payloadType) {
        EventType annotation = payloadType.getAnnotation(EventType.class);
        return annotation == null || annotation.value().isEmpty() ? payloadType.getSimpleName() : annotation.value();
    }

    private static int versionOf(Class<?> payloadType) {
        EventType annotation = payloadType.getAnnotation(EventType.class);
        return annotation == null ? 1 : annotation.version();
    }

    private static @Nullable Class<?> decodedClass(HandlerDefinition handler) {
        return handler.payloadType() == JsonNode.class ? null : handler.payloadType();
    }

    private void checkId(HandlerDefinition handler) {
        checkId(handler.id());
        HandlerDefinition twin = byId.putIfAbsent(handler.id(), handler);
        if (twin != null) {
            throw new HandlerConfigurationException("two handlers have the id '" + handler.id() + "': " + twin + " and "
                    + handler + "; ids are stored with deliveries and must be unique");
        }
    }

    private static void checkId(String id) {
        boolean unusable = id.codePoints()
                .anyMatch((point) -> Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE);
        if (id.isBlank() || id.length() > LONGEST_ID || unusable) {
            throw new HandlerConfigurationException("a handler id must have 1 to " + LONGEST_ID
                    + " characters, without control characters and unpaired surrogates: '" + id + "'");
        }
    }

    private static void checkEventTypes(HandlerDefinition handler) {
        Set<String> types = new TreeSet<>(eventTypesOf(handler));
        if (types.isEmpty()) {
            throw new HandlerConfigurationException(
                    "handler '" + handler.id() + "' names no event type; set eventTypes, or \"*\" for all");
        }
        for (String type : types) {
            boolean all = type.equals(HandlerDefinition.ALL_EVENT_TYPES);
            if (all && decodedClass(handler) != null) {
                throw new HandlerConfigurationException("handler '" + handler.id()
                        + "' subscribes to every event type, so its parameter must be EventEnvelope or JsonNode, not "
                        + handler.payloadType());
            }
            if (!all && !PASCAL_CASE.matcher(type).matches()) {
                throw new HandlerConfigurationException(
                        "event type '" + type + "' of handler '" + handler.id() + "' is not PascalCase");
            }
        }
    }

    private void checkVersion(HandlerDefinition handler) {
        Class<?> payloadType = decodedClass(handler);
        if (payloadType == null) {
            return;
        }
        String type = eventTypeOf(payloadType);
        Class<?> other = payloadTypes.putIfAbsent(type, payloadType);
        if (other != null && versionOf(other) != versionOf(payloadType)) {
            throw new HandlerConfigurationException("event type " + type + " has version " + versionOf(other) + " in "
                    + other.getName() + " and version " + versionOf(payloadType) + " in " + payloadType.getName()
                    + "; one application handles one version of a type");
        }
    }

    private void checkPayloadClass(HandlerDefinition handler) {
        Class<?> payloadClass = payloadClassOf(handler);
        if (payloadClass == null) {
            return;
        }
        String type = eventTypeOf(payloadClass);
        HandlerDefinition other = byPayloadClass.putIfAbsent(type, handler);
        if (other != null && other.payloadType() != payloadClass) {
            throw new HandlerConfigurationException("two classes stand for event type " + type
                    + ", so each would get the other's events:\n    " + other + "\n    " + handler
                    + "\nname another type with @EventType, or mark the class that repeats the other's contract"
                    + " @EventType(copy = true)");
        }
    }

    private void checkAliases(HandlerDefinition handler) {
        for (String alias : handler.aliases()) {
            checkId(alias);
            HandlerDefinition other = byId.putIfAbsent(alias, handler);
            if (other != null) {
                throw new HandlerConfigurationException("alias '" + alias + "' of handler '" + handler.id()
                        + "' is already used by " + other + "; ids and aliases must be unique");
            }
        }
    }
}
