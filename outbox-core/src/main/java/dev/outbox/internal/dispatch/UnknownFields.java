package dev.outbox.internal.dispatch;

import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;

/** Notes the fields of a payload that no class knows, and leaves it to Jackson whether they are an error. */
final class UnknownFields extends DeserializationProblemHandler {

    private final PayloadShapes shapes;

    UnknownFields(PayloadShapes shapes) {
        this.shapes = shapes;
    }

    /** Field that the class of its object neither reads nor writes. */
    record UnknownField(BeanDeserializerBase reader, String name) {

        Class<?> type() {
            return reader.handledType();
        }
    }

    /** Unknown fields of one payload and of the objects in it. */
    static final class Notes {

        private Set<UnknownField> fields = Set.of();

        private void add(UnknownField field) {
            if (fields.isEmpty()) {
                fields = new LinkedHashSet<>();
            }
            fields.add(field);
        }

        Set<UnknownField> fields() {
            return fields;
        }
    }

    @Override
    public boolean handleUnknownProperty(
            DeserializationContext context,
            JsonParser parser,
            ValueDeserializer<?> deserializer,
            Object beanOrClass,
            String propertyName) {
        if (context.getAttribute(Notes.class) instanceof Notes notes
                && deserializer instanceof BeanDeserializerBase reader
                && !shapes.of(reader).writes(propertyName)) {
            notes.add(new UnknownField(reader, propertyName));
        }
        return false;
    }
}
