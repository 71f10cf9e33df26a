package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.dispatch.UnknownFields.Notes;
import dev.outbox.internal.dispatch.UnknownFields.UnknownField;
import dev.outbox.internal.failure.Redaction;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads payloads, and refuses those with a field that looks renamed. Keeps what Jackson has found out about a class. Safe for use by
 * many threads.
 */
final class PayloadReaders {

    private final JsonMapper mapper;
    private final PayloadShapes shapes;
    private final UnknownFields unknownFields;
    private final RequiredFields requiredFields;
    private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();

    PayloadReaders(JsonMapper mapper, MissingFields missingFields) {
        this.mapper = mapper;
        this.shapes = new PayloadShapes(mapper);
        this.unknownFields = new UnknownFields(shapes);
        this.requiredFields = new RequiredFields(missingFields, shapes);
    }

    /** Reads a payload. */
    Object read(String payload, Class<?> type) throws UndecodableException {
        Notes notes = new Notes();
        try {
            Object value = type == JsonNode.class
                    ? mapper.readTree(payload)
                    : reader(type, notes).readValue(payload);
            if (value == null) {
                throw UndecodableException.unreadable("the payload is null");
            }
            refuseRenamed(payload, value.getClass(), notes);
            return value;
        } catch (JacksonException ex) {
            refuseRenamed(payload, type, notes.fields().isEmpty() ? unknownFields(payload, type) : notes);
            // Not the mapper's message: it may quote the payload, which no log should hold.
            throw UndecodableException.unreadable("the payload does not fit " + type.getName() + " at "
                    + Redaction.path(ex) + ": " + ex.getClass().getSimpleName());
        }
    }

    private ObjectReader reader(Class<?> type, Notes notes) {
        ObjectReader known = readers.get(type);
        ObjectReader reader = known != null
                ? known
                : readers.computeIfAbsent(type, (one) -> mapper.readerFor(one).withHandler(unknownFields));
        return reader.withAttribute(Notes.class, notes);
    }

    /** Jackson refuses a record that lacks a primitive before it says what else is wrong with the payload. */
    private Notes unknownFields(String payload, Class<?> type) {
        Notes notes = new Notes();
        try {
            reader(type, notes)
                    .without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .readValue(payload);
        } catch (JacksonException ex) {
            // What was noted until then is enough.
        }
        return notes;
    }

    /** A nested object of the same class may have noted the field: it counts only if the payload itself has it. */
    private void refuseRenamed(String payload, Class<?> type, Notes notes) throws UndecodableException {
        if (notes.fields().isEmpty()) {
            return;
        }
        List<UnknownField> unknown =
                notes.fields().stream().filter((field) -> field.type() == type).toList();
        if (unknown.isEmpty()) {
            return;
        }
        Set<String> present = shapes.fieldsOf(payload);
        List<String> missing = shapes.of(unknown.get(0).reader()).missingIn(present);
        List<String> names = unknown.stream()
                .map(UnknownField::name)
                .filter(present::contains)
                .toList();
        if (!missing.isEmpty() && !names.isEmpty()) {
            throw renamed(type, new FieldNames(missing), new FieldNames(names));
        }
    }

    private static UndecodableException renamed(Class<?> type, FieldNames missing, FieldNames unknown) {
        return UndecodableException.mismatch("a field looks renamed: the payload lacks " + missing + " of "
                + type.getName() + " and has " + unknown + ", which the class does not know; put @JsonAlias("
                + unknown.first() + ") on the component if it was renamed, or @JsonIgnoreProperties(" + unknown.first()
                + ") on the class if it is another field; then retry");
    }

    /** Checks that a decoded payload has all fields that its record requires. */
    void requireFields(HandlerDefinition handler, EventEnvelope envelope, Object payload) throws UndecodableException {
        requiredFields.check(handler, envelope, payload);
    }
}
