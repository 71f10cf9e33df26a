package dev.outbox.internal.payload;

import static dev.outbox.HandlerDefinition.ALL_EVENT_TYPES;

import dev.outbox.EventEnvelope;
import dev.outbox.EventUpcaster;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.PayloadFormat;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Chains of upcasters by event type. Immutable. */
final class Upcasters {

    private static final Logger log = LoggerFactory.getLogger(Upcasters.class);

    /** Keeps all digits of the numbers that an upcaster does not touch, whatever the mapper of the payloads does. */
    private static final JsonMapper TREES = PayloadFormat.mapper();

    private final Map<String, NavigableMap<Integer, EventUpcaster>> chains = new HashMap<>();

    /** Checks that the upcasters of each event type form a chain without gaps. */
    Upcasters(Collection<EventUpcaster> upcasters) {
        for (EventUpcaster upcaster : upcasters) {
            EventUpcaster twin = chains.computeIfAbsent(upcaster.eventType(), (type) -> new TreeMap<>())
                    .putIfAbsent(upcaster.from(), upcaster);
            if (twin != null) {
                throw refused(twin + " and " + upcaster + " start at the same version; remove one");
            }
        }
        chains.values().forEach(Upcasters::requireChain);
    }

    private static void requireChain(NavigableMap<Integer, EventUpcaster> chain) {
        EventUpcaster before = null;
        for (EventUpcaster upcaster : chain.values()) {
            if (before != null && before.to() > upcaster.from()) {
                throw refused(before + " and " + upcaster + " overlap; the versions of a type form one chain");
            }
            if (before != null && before.to() < upcaster.from()) {
                throw refused("nothing follows " + before + ", because the next one is " + upcaster
                        + "; add an EventUpcaster from version " + before.to() + " to " + upcaster.from());
            }
            before = upcaster;
        }
    }

    void requireVersionsOf(Collection<HandlerDefinition> handlers, Collection<Set<String>> subscriptions) {
        for (HandlerDefinition handler : handlers) {
            Class<?> parameter = handler.payloadType();
            if (parameter != null && parameter != JsonNode.class) {
                PayloadClasses.of(parameter).concrete().forEach((type) -> requireVersion(handler, type));
            }
        }
        Set<String> unused = new TreeSet<>(chains.keySet());
        subscriptions.forEach(unused::removeAll);
        if (!unused.isEmpty() && subscriptions.stream().noneMatch((types) -> types.contains(ALL_EVENT_TYPES))) {
            log.warn("No handler of this application subscribes to {}, for which it has an EventUpcaster", unused);
        }
    }

    private void requireVersion(HandlerDefinition handler, Class<?> type) {
        DeclaredType declared = DeclaredType.of(type);
        Integer newest = newest(declared.name());
        if (newest == null || newest == declared.version()) {
            return;
        }
        String fix = newest < declared.version()
                ? "add an EventUpcaster from version " + newest + " to " + declared.version()
                : "set @EventType(version = " + newest + ") on the class, or remove the last EventUpcaster";
        throw refused(
                "the upcasters of event type " + declared.name() + " lead to version " + newest + ", but handler '"
                        + handler.id() + "' takes version " + declared.version() + ", " + type.getName() + "; " + fix);
    }

    private static OutboxConfigurationException refused(String message) {
        return new OutboxConfigurationException(message);
    }

    /** Returns the version at the end of a type's chain; {@code null} if it has none. */
    @Nullable
    Integer newest(String eventType) {
        NavigableMap<Integer, EventUpcaster> chain = chains.get(eventType);
        return chain == null
                ? null
                : Integer.valueOf(chain.lastEntry().getValue().to());
    }

    /**
     * Returns the payload of an event in a newer version. Exceptions of the application's code pass through. A type without upcasters has
     * versions that the same class reads, so its payload is returned as it is.
     */
    String upcast(EventEnvelope envelope, int version, JsonMapper mapper) throws UndecodableException {
        NavigableMap<Integer, EventUpcaster> chain = chains.get(envelope.eventType());
        if (chain == null || envelope.schemaVersion() >= version) {
            return envelope.payload();
        }
        ObjectNode payload = object(envelope, mapper);
        int reached = envelope.schemaVersion();
        while (reached < version) {
            EventUpcaster next = chain.get(reached);
            if (next == null) {
                throw UndecodableException.noUpcaster(envelope, version);
            }
            payload = next.upcast(payload);
            reached = next.to();
        }
        return TREES.writeValueAsString(payload);
    }

    private static ObjectNode object(EventEnvelope envelope, JsonMapper mapper) throws UndecodableException {
        try (JsonParser parser = mapper.createParser(envelope.payload())) {
            if (TREES.readTree(parser) instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException ex) {
            throw UndecodableException.unreadable(
                    "the payload cannot be read as JSON: " + ex.getClass().getSimpleName());
        }
        throw UndecodableException.unreadable("the payload is no JSON object, which an EventUpcaster needs");
    }
}
