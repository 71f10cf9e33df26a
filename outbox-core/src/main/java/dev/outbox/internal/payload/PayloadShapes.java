package dev.outbox.internal.payload;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.outbox.internal.payload.PayloadShape.Field;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;

/** Shapes of payload classes as the mapper reads and writes them, each determined once. Safe for use by many threads. */
final class PayloadShapes {

    private static final Set<Include> OMITTING_VALUES =
            EnumSet.of(Include.NON_EMPTY, Include.NON_DEFAULT, Include.CUSTOM);
    private static final Set<Class<?>> OPTIONALS =
            Set.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class);

    private final JsonMapper mapper;
    private final Map<Class<?>, PayloadShape> shapes = new ConcurrentHashMap<>();
    private final Map<Class<?>, PayloadShape> rootShapes = new ConcurrentHashMap<>();

    PayloadShapes(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Returns the shape of a whole payload. */
    PayloadShape of(Class<?> type) {
        PayloadShape known = rootShapes.get(type);
        return known != null ? known : rootShapes.computeIfAbsent(type, this::find);
    }

    /** Returns the shape of the class that a deserializer reads. */
    PayloadShape of(BeanDeserializerBase reader) {
        Class<?> type = reader.handledType();
        PayloadShape known = shapes.get(type);
        return known != null ? known : shapes.computeIfAbsent(type, (one) -> inspect(reader));
    }

    /** A mapper that wraps each payload in one more object hides the fields. */
    private PayloadShape find(Class<?> type) {
        try {
            ValueDeserializer<Object> reader =
                    mapper._deserializationContext().findRootValueDeserializer(mapper.constructType(type));
            boolean wrapped = mapper.isEnabled(DeserializationFeature.UNWRAP_ROOT_VALUE);
            return reader instanceof BeanDeserializerBase bean && !wrapped
                    ? of(bean)
                    : PayloadShape.expectingNothing(type);
        } catch (JacksonException ex) {
            return PayloadShape.expectingNothing(type);
        }
    }

    private PayloadShape inspect(BeanDeserializerBase reader) {
        Class<?> type = reader.handledType();
        List<SettableBeanProperty> properties = new ArrayList<>();
        reader.properties().forEachRemaining(properties::add);
        if (properties.stream().anyMatch((property) -> property.getAnnotation(JsonAnySetter.class) != null)) {
            return PayloadShape.expectingNothing(type);
        }
        Map<String, PropertyWriter> writers = writers(type);
        List<Field> expected = new ArrayList<>();
        for (SettableBeanProperty property : properties) {
            RecordComponent component = component(property, type);
            Method required = component == null ? null : requiredAccessor(component);
            boolean mayBeNull = component == null ? !property.getType().isPrimitive() : required == null;
            if (property.getInjectableValueId() == null && isWritten(property, mayBeNull, writers)) {
                expected.add(new Field(property.getName(), names(property), required));
            }
        }
        return new PayloadShape(
                type,
                List.copyOf(expected),
                Set.copyOf(writers.keySet()),
                mapper.isEnabled(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES));
    }

    private List<String> names(SettableBeanProperty property) {
        Stream<String> aliases =
                property.findAliases(mapper.deserializationConfig()).stream().map(PropertyName::getSimpleName);
        return Stream.concat(Stream.of(property.getName()), aliases).toList();
    }

    /** A class without a property to write is a consumer's own: then the publisher writes what it reads. */
    private Map<String, PropertyWriter> writers(Class<?> type) {
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

    private boolean isWritten(SettableBeanProperty property, boolean mayBeNull, Map<String, PropertyWriter> writers) {
        PropertyWriter writer = writers.get(property.getName());
        if (writer instanceof BeanPropertyWriter bean) {
            return !(bean.willSuppressNulls() && mayBeNull) && !omitsValues(bean, property);
        }
        return writer != null || writers.isEmpty();
    }

    private boolean omitsValues(BeanPropertyWriter writer, SettableBeanProperty property) {
        Class<?> owner = property.getMember().getDeclaringClass();
        JsonInclude onClass = writer.getContextAnnotation(JsonInclude.class);
        return (onClass != null && OMITTING_VALUES.contains(onClass.value()))
                || OMITTING_VALUES.contains(writer.findPropertyInclusion(mapper.serializationConfig(), owner)
                        .getValueInclusion());
    }

    /** Returns the component that a property sets through the canonical constructor. */
    private static @Nullable RecordComponent component(SettableBeanProperty property, Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        if (components == null || !(property.getMember() instanceof AnnotatedParameter parameter)) {
            return null;
        }
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        boolean canonical = parameter.getOwner().getAnnotated() instanceof Constructor<?> constructor
                && Arrays.equals(constructor.getParameterTypes(), types);
        return canonical ? components[parameter.getIndex()] : null;
    }

    /** Returns the accessor of a component that is neither primitive nor optional nor nullable. */
    private static @Nullable Method requiredAccessor(RecordComponent component) {
        Class<?> type = component.getType();
        boolean mayBeMissing = type.isPrimitive() || OPTIONALS.contains(type) || isNullable(component);
        Method accessor = component.getAccessor();
        return accessor.trySetAccessible() && !mayBeMissing ? accessor : null;
    }

    /** Accepts any annotation of that name, whether of JSpecify, Jakarta or Spring, on the component, its type or its accessor. */
    private static boolean isNullable(RecordComponent component) {
        return Stream.<AnnotatedElement>of(component, component.getAnnotatedType(), component.getAccessor())
                .flatMap((element) -> Arrays.stream(element.getAnnotations()))
                .anyMatch((annotation) ->
                        annotation.annotationType().getSimpleName().equals("Nullable"));
    }

    /** Returns the names of the top-level fields of a payload. */
    Set<String> fieldsOf(String payload) {
        Set<String> fields = new HashSet<>();
        try (JsonParser parser = mapper.createParser(payload)) {
            parser.nextToken();
            for (String field = parser.nextName(); field != null; field = parser.nextName()) {
                fields.add(field);
                parser.nextToken();
                parser.skipChildren();
            }
        }
        return fields;
    }
}
