package dev.outbox.internal.dispatch;

import dev.outbox.EventType;
import dev.outbox.HandlerConfigurationException;
import dev.outbox.HandlerDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The handlers of this process, checked against each other. Immutable. */
public final class HandlerCatalog {

    private static final int LONGEST_ID = 255;
    private static final Pattern PASCAL_CASE = Pattern.compile("[A-Z][A-Za-z0-9]*");

    private final Map<String, HandlerDefinition> handlers = new LinkedHashMap<>();
    private final Map<String, HandlerDefinition> byAlias = new HashMap<>();
    private final Map<String, Set<String>> eventTypes = new LinkedHashMap<>();
    private final Map<String, HandlerDefinition> byPayloadClass = new HashMap<>();
    private final Map<String, List<HandlerDefinition>> byEventType = new ConcurrentHashMap<>();

    /** Creates a catalog. */
    public HandlerCatalog(Collection<HandlerDefinition> definitions) {
        Map<String, Class<?>> payloadTypes = new HashMap<>();
        for (HandlerDefinition definition : definitions) {
            checkId(definition.id());
            HandlerDefinition twin = handlers.putIfAbsent(definition.id(), definition);
            if (twin != null) {
                throw new HandlerConfigurationException("two handlers have the id '" + definition.id() + "': " + twin
                        + " and " + definition + "; ids are stored with deliveries and must be unique");
            }
            eventTypes.put(definition.id(), eventTypesOf(definition));
            checkVersions(definition, payloadTypes);
            checkPayloadClass(definition);
        }
        definitions.forEach(this::addAliases);
    }

    private void addAliases(HandlerDefinition definition) {
        for (String alias : definition.aliases()) {
            checkId(alias);
            HandlerDefinition other = handlers.containsKey(alias) ? handlers.get(alias) : byAlias.get(alias);
            if (other != null) {
                throw new HandlerConfigurationException("handler '" + definition.id() + "' was '" + alias
                        + "' before, but that is " + other + "; an id stands for one handler");
            }
            byAlias.put(alias, definition);
        }
    }

    /** Returns the event type that a payload class stands for. */
    public static String eventTypeOf(Class<?> payloadType) {
        EventType annotation = payloadType.getAnnotation(EventType.class);
        return annotation == null || annotation.value().isEmpty() ? payloadType.getSimpleName() : annotation.value();
    }

    /** Returns the event types of each handler of this process. */
    public Map<String, Set<String>> eventTypes() {
        return Map.copyOf(eventTypes);
    }

    /** Finds a handler. */
    public @Nullable HandlerDefinition find(String handlerId) {
        HandlerDefinition current = handlers.get(handlerId);
        return current != null ? current : byAlias.get(handlerId);
    }

    /** Returns the ids that the handlers of this process had before. */
    public Map<String, List<String>> aliases() {
        Map<String, List<String>> aliases = new HashMap<>();
        handlers.forEach((id, definition) -> aliases.put(id, definition.aliases()));
        return aliases;
    }

    /** Whether a handler of this process wants an event type. */
    boolean wants(HandlerDefinition handler, String eventType) {
        return wants(eventTypes.getOrDefault(handler.id(), Set.of()), eventType);
    }

    /** Finds the handlers of this process that want an event type. */
    public List<HandlerDefinition> wanting(String eventType) {
        List<HandlerDefinition> known = byEventType.get(eventType);
        return known != null ? known : byEventType.computeIfAbsent(eventType, this::findWanting);
    }

    private List<HandlerDefinition> findWanting(String eventType) {
        List<HandlerDefinition> wanting = new ArrayList<>();
        handlers.forEach((id, definition) -> {
            if (wants(eventTypes.getOrDefault(id, Set.of()), eventType)) {
                wanting.add(definition);
            }
        });
        return List.copyOf(wanting);
    }

    static boolean wants(Set<String> eventTypes, String eventType) {
        return eventTypes.contains(eventType) || eventTypes.contains(HandlerDefinition.ALL_EVENT_TYPES);
    }

    private static void checkId(String id) {
        boolean unusable = id.codePoints()
                .anyMatch((point) -> Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE);
        if (id.isBlank() || id.length() > LONGEST_ID || unusable) {
            throw new HandlerConfigurationException("a handler id must have 1 to " + LONGEST_ID
                    + " characters, without control characters and half surrogate pairs: '" + id + "'");
        }
    }

    private static Set<String> eventTypesOf(HandlerDefinition definition) {
        Set<String> types = new TreeSet<>(definition.eventTypes());
        Class<?> payloadType = definition.payloadType();
        boolean decodes = payloadType != null && payloadType != JsonNode.class;
        if (types.isEmpty() && decodes && payloadType != null) {
            types.add(eventTypeOf(payloadType));
        }
        if (types.isEmpty()) {
            throw new HandlerConfigurationException(
                    "handler '" + definition.id() + "' names no event type; set eventTypes," + " or \"*\" for all");
        }
        for (String type : types) {
            boolean all = type.equals(HandlerDefinition.ALL_EVENT_TYPES);
            if (all && decodes) {
                throw new HandlerConfigurationException(
                        "handler '" + definition.id() + "' wants every event type, so its"
                                + " parameter must be EventEnvelope or JsonNode, not " + definition.payloadType());
            }
            if (!all && !PASCAL_CASE.matcher(type).matches()) {
                throw new HandlerConfigurationException(
                        "event type '" + type + "' of handler '" + definition.id() + "' is not PascalCase");
            }
        }
        return types;
    }

    private static void checkVersions(HandlerDefinition definition, Map<String, Class<?>> payloadTypes) {
        Class<?> payloadType = definition.payloadType();
        if (payloadType == null || payloadType == JsonNode.class) {
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

    /** A handler that names its event types has chosen its class for them. */
    private void checkPayloadClass(HandlerDefinition definition) {
        Class<?> payloadType = definition.payloadType();
        if (payloadType == null || !definition.eventTypes().isEmpty() || isCopy(payloadType)) {
            return;
        }
        String type = eventTypeOf(payloadType);
        HandlerDefinition other = byPayloadClass.putIfAbsent(type, definition);
        if (other != null && other.payloadType() != payloadType) {
            throw new HandlerConfigurationException(
                    "two classes stand for event type " + type + ", so each would get the"
                            + " other's events:\n    " + other + "\n    " + definition
                            + "\nname another type with @EventType, or mark the"
                            + " class that repeats the other's contract @EventType(copy = true)");
        }
    }

    private static boolean isCopy(Class<?> payloadType) {
        EventType annotation = payloadType.getAnnotation(EventType.class);
        return annotation != null && annotation.copy();
    }

    /** Returns the payload class that stands for an event type among the handlers of this process. */
    public @Nullable Class<?> payloadClassOf(String eventType) {
        HandlerDefinition handler = byPayloadClass.get(eventType);
        return handler == null ? null : handler.payloadType();
    }

    private static int versionOf(Class<?> payloadType) {
        EventType annotation = payloadType.getAnnotation(EventType.class);
        return annotation == null ? 1 : annotation.version();
    }
}
