package dev.outbox.internal.payload;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.Redaction;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;

/** Decodes payloads, and refuses those with a field that looks renamed. Safe for use by many threads. */
public final class PayloadReader {

    private final JsonMapper mapper;
    private final PayloadShapes shapes;
    private final RequiredFields requiredFields;
    private final UnknownFields unknownFields = new UnknownFields();
    private final Upcasters upcasters;
    private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();
    private final Map<Class<?>, PayloadClasses> classes = new ConcurrentHashMap<>();

    /** Creates a reader with the mapper of the payloads. */
    public PayloadReader(JsonMapper mapper, MissingFields missingFields, Upcasters upcasters) {
        this.mapper = mapper;
        this.upcasters = upcasters;
        this.shapes = new PayloadShapes(mapper);
        this.requiredFields = new RequiredFields(missingFields, shapes);
    }

    /** Returns the payload of an event, not decoded yet. */
    public EventPayload of(EventEnvelope envelope) {
        return new EventPayload(envelope);
    }

    /** Payload of one event, decoded once per class. */
    public final class EventPayload {

        private final EventEnvelope envelope;
        private Map<Class<?>, Object> decoded = Map.of();
        private int version;
        private String json;

        private EventPayload(EventEnvelope envelope) {
            this.envelope = envelope;
            this.version = envelope.schemaVersion();
            this.json = envelope.payload();
        }

        /**
         * Returns the argument of a handler: the decoded payload in the version of its class, or the stored envelope if the handler takes
         * no payload.
         */
        public Object decode(HandlerDefinition handler) throws UndecodableException {
            Class<?> parameter = handler.payloadType();
            if (parameter == null) {
                return envelope;
            }
            PayloadClasses known = classes.get(parameter);
            PayloadClasses taken = known != null ? known : classes.computeIfAbsent(parameter, PayloadClasses::of);
            Class<?> type = taken.classOf(envelope.eventType());
            if (type == null) {
                throw UndecodableException.unreadable(
                        "no permitted type of " + parameter.getName() + " stands for " + envelope.eventType());
            }
            Object payload = decoded.get(type);
            if (payload == null) {
                upcast(taken.versionOf(envelope.eventType()));
                payload = read(json, type);
                // A handler can change its JsonNode, so each gets its own.
                if (type != JsonNode.class) {
                    decoded = decoded.isEmpty() ? Map.of(type, payload) : with(type, payload);
                }
            }
            requireFields(handler, envelope, json, payload);
            return payload;
        }

        /** One application has one version of a type, so the first upcast serves all handlers. */
        private void upcast(@Nullable Integer declared) throws UndecodableException {
            if (declared != null && envelope.schemaVersion() > declared) {
                throw UndecodableException.newer(envelope, declared);
            }
            Integer newest = declared != null ? declared : upcasters.newest(envelope.eventType());
            if (newest != null && newest > version) {
                json = upcasters.upcast(envelope, newest, mapper);
                version = newest;
            }
        }

        private Map<Class<?>, Object> with(Class<?> type, Object payload) {
            Map<Class<?>, Object> all = new HashMap<>(decoded);
            all.put(type, payload);
            return all;
        }
    }

    Object read(String payload, Class<?> type) throws UndecodableException {
        Set<UnknownField> unknown = new LinkedHashSet<>();
        try {
            Object value = type == JsonNode.class
                    ? mapper.readTree(payload)
                    : reader(type, unknown).readValue(payload);
            if (value == null) {
                throw UndecodableException.unreadable("the payload is null");
            }
            refuseRenamed(payload, value.getClass(), unknown);
            return value;
        } catch (JacksonException ex) {
            refuseRenamed(payload, type, unknown.isEmpty() ? unknownFields(payload, type) : unknown);
            // Not the mapper's message, which may quote the payload.
            throw UndecodableException.unreadable("the payload does not fit " + type.getName() + " at "
                    + Redaction.path(ex) + ": " + ex.getClass().getSimpleName());
        }
    }

    void requireFields(HandlerDefinition handler, EventEnvelope envelope, String json, Object payload)
            throws UndecodableException {
        requiredFields.check(handler, envelope, json, payload);
    }

    private ObjectReader reader(Class<?> type, Set<UnknownField> unknown) {
        ObjectReader known = readers.get(type);
        ObjectReader reader = known != null
                ? known
                : readers.computeIfAbsent(type, (one) -> mapper.readerFor(one).withHandler(unknownFields));
        return reader.withAttribute(UnknownFields.class, unknown);
    }

    /** Reads again: Jackson refuses a record that lacks a primitive before it finds the unknown fields. */
    private Set<UnknownField> unknownFields(String payload, Class<?> type) {
        Set<UnknownField> unknown = new LinkedHashSet<>();
        try {
            reader(type, unknown)
                    .without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .readValue(payload);
        } catch (JacksonException ex) {
            // The fields found before the failure suffice.
        }
        return unknown;
    }

    /** Ignores a field that only a nested object of the same class has. */
    private void refuseRenamed(String payload, Class<?> type, Set<UnknownField> found) throws UndecodableException {
        List<UnknownField> unknown =
                found.stream().filter((field) -> field.shape().type() == type).toList();
        if (unknown.isEmpty()) {
            return;
        }
        Set<String> present = shapes.fieldsOf(payload);
        List<String> missing = unknown.get(0).shape().missingIn(present);
        List<String> names = unknown.stream()
                .map(UnknownField::name)
                .filter(present::contains)
                .toList();
        if (!missing.isEmpty() && !names.isEmpty()) {
            throw UndecodableException.renamed(type, missing, names);
        }
    }

    /** Field that the class of its object neither reads nor writes. */
    private record UnknownField(PayloadShape shape, String name) {}

    /** Collects unknown fields in the set of the read, and leaves it to Jackson whether they are an error. */
    private final class UnknownFields extends DeserializationProblemHandler {

        @Override
        @SuppressWarnings("unchecked") // only reader(…) sets the attribute
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                ValueDeserializer<?> deserializer,
                Object beanOrClass,
                String propertyName) {
            Object found = context.getAttribute(UnknownFields.class);
            if (found != null && deserializer instanceof BeanDeserializerBase reader) {
                PayloadShape shape = shapes.of(reader);
                if (!shape.written().contains(propertyName)) {
                    ((Set<UnknownField>) found).add(new UnknownField(shape, propertyName));
                }
            }
            return false;
        }
    }
}
