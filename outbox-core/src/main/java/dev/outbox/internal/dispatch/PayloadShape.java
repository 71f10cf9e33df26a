package dev.outbox.internal.dispatch;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;

/**
 * JSON fields of a payload class, as Jackson names them. A field is expected if the class reads it and its own serializer never
 * omits it, so that its absence means something.
 */
final class PayloadShape {

    /** Shape of a class that takes every field, or that Jackson does not read property by property: it expects nothing. */
    static final PayloadShape UNKNOWN = new PayloadShape(List.of(), Set.of(), false);

    private static final Set<Include> OMITTING_VALUES =
            EnumSet.of(Include.NON_EMPTY, Include.NON_DEFAULT, Include.CUSTOM);

    private final List<Field> expected;
    private final List<Field> required;
    private final Set<String> written;
    private final boolean ignoresCase;

    private PayloadShape(List<Field> expected, Set<String> written, boolean ignoresCase) {
        this.expected = List.copyOf(expected);
        this.required = expected.stream().filter(Field::isRequired).toList();
        this.written = Set.copyOf(written);
        this.ignoresCase = ignoresCase;
    }

    /** Field that a class expects, by any of its names; of a record, with the component. */
    record Field(String name, List<String> names, @Nullable PayloadComponent component) {

        boolean isRequired() {
            return component != null && component.isRequired();
        }
    }

    static PayloadShape of(BeanDeserializerBase reader, JsonMapper mapper) {
        List<SettableBeanProperty> properties = new ArrayList<>();
        reader.properties().forEachRemaining(properties::add);
        if (properties.stream().anyMatch((property) -> property.getAnnotation(JsonAnySetter.class) != null)) {
            return UNKNOWN;
        }
        Class<?> type = reader.handledType();
        Map<String, PropertyWriter> writers = writers(type, mapper);
        List<Field> expected = new ArrayList<>();
        for (SettableBeanProperty property : properties) {
            PayloadComponent component = PayloadComponent.of(property, type);
            if (property.getInjectableValueId() == null && isWritten(property, component, writers, mapper)) {
                expected.add(new Field(property.getName(), names(property, mapper), component));
            }
        }
        return new PayloadShape(
                expected, writers.keySet(), mapper.isEnabled(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES));
    }

    private static List<String> names(SettableBeanProperty property, JsonMapper mapper) {
        List<String> names = new ArrayList<>();
        names.add(property.getName());
        property.findAliases(mapper.deserializationConfig()).stream()
                .map(PropertyName::getSimpleName)
                .forEach(names::add);
        return List.copyOf(names);
    }

    /** A class without a property to write is a consumer's own: then the publisher writes what it reads. */
    private static Map<String, PropertyWriter> writers(Class<?> type, JsonMapper mapper) {
        Map<String, PropertyWriter> writers = new HashMap<>();
        try {
            mapper._serializationContext()
                    .findValueSerializer(type)
                    .properties()
                    .forEachRemaining((writer) -> writers.put(writer.getName(), writer));
        } catch (JacksonException ex) {
            writers.clear();
        }
        return writers;
    }

    private static boolean isWritten(
            SettableBeanProperty property,
            @Nullable PayloadComponent component,
            Map<String, PropertyWriter> writers,
            JsonMapper mapper) {
        if (writers.isEmpty()) {
            return true;
        }
        PropertyWriter writer = writers.get(property.getName());
        if (writer instanceof BeanPropertyWriter bean) {
            boolean omitsNull = bean.willSuppressNulls() && mayBeNull(property, component);
            return !omitsNull && !omitsValues(bean, mapper, property);
        }
        return writer != null;
    }

    private static boolean mayBeNull(SettableBeanProperty property, @Nullable PayloadComponent component) {
        return component == null ? !property.getType().isPrimitive() : !component.isRequired();
    }

    private static boolean omitsValues(BeanPropertyWriter writer, JsonMapper mapper, SettableBeanProperty property) {
        Class<?> owner = property.getMember().getDeclaringClass();
        JsonInclude onClass = writer.getContextAnnotation(JsonInclude.class);
        return (onClass != null && OMITTING_VALUES.contains(onClass.value()))
                || OMITTING_VALUES.contains(writer.findPropertyInclusion(mapper.serializationConfig(), owner)
                        .getValueInclusion());
    }

    /** Whether the class writes a field itself, such as that of a getter without a setter: then it is not unknown. */
    boolean writes(String field) {
        return written.contains(field);
    }

    /** Returns the names of the expected fields that an object lacks. */
    List<String> missingIn(Collection<String> present) {
        return missing(expected, present);
    }

    /** Returns the names of those among some fields that an object lacks. */
    List<String> missing(List<Field> fields, Collection<String> present) {
        Set<String> found = ignoresCase ? new TreeSet<>(String.CASE_INSENSITIVE_ORDER) : new HashSet<>();
        found.addAll(present);
        return fields.stream()
                .filter((field) -> field.names().stream().noneMatch(found::contains))
                .map(Field::name)
                .toList();
    }

    /** Returns the required fields of a record that are null in an instance of it. */
    List<Field> nullIn(Object payload) {
        List<Field> found = List.of();
        for (Field field : required) {
            PayloadComponent component = field.component();
            if (component != null && component.isNullIn(payload)) {
                found = found.isEmpty() ? new ArrayList<>() : found;
                found.add(field);
            }
        }
        return found;
    }

    /** Whether top-level fields can be told from the payload: not where everything is wrapped in one more object. */
    static boolean isReadableWith(JsonMapper mapper) {
        return !mapper.isEnabled(DeserializationFeature.UNWRAP_ROOT_VALUE);
    }
}
