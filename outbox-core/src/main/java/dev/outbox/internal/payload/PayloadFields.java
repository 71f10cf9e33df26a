package dev.outbox.internal.payload;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;

/** Compares the top-level fields of a payload with the components of its record. Safe for use by many threads. */
final class PayloadFields extends DeserializationProblemHandler {

    private final JsonMapper mapper;
    private final Map<Class<?>, List<Component>> required = new ConcurrentHashMap<>();

    PayloadFields(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Record component that must not be null, and the name of its field. */
    private record Component(Method accessor, String field) {

        boolean isNullIn(Object payload) {
            try {
                return accessor.invoke(payload) == null;
            } catch (IllegalAccessException | InvocationTargetException ex) {
                return false;
            }
        }
    }

    /** Notes the field in the attribute of the read, and leaves it to Jackson whether it is an error. */
    @Override
    @SuppressWarnings("unchecked") // the attribute that PayloadReader sets
    public boolean handleUnknownProperty(
            DeserializationContext context,
            JsonParser parser,
            ValueDeserializer<?> deserializer,
            Object beanOrClass,
            String propertyName) {
        ((Set<String>) context.getAttribute(PayloadFields.class)).add(propertyName);
        return false;
    }

    /** Returns the required fields that a payload lacks. An absent field that the class omits when it writes null says nothing. */
    List<String> missing(String json, Object payload) {
        List<String> withoutValue = payload instanceof Record
                ? required.computeIfAbsent(payload.getClass(), this::requiredComponents).stream()
                        .filter((component) -> component.isNullIn(payload))
                        .map(Component::field)
                        .toList()
                : List.of();
        if (withoutValue.isEmpty()) {
            return List.of();
        }
        JsonNode stored = mapper.readTree(json);
        JsonNode written = written(payload);
        return withoutValue.stream()
                .filter((field) -> stored.isObject() && !stored.has(field) && written.has(field))
                .toList();
    }

    /** Returns the unknown fields at the top level of a payload, without those that its class writes but never reads. */
    List<String> unknown(Set<String> names, String json, Object payload) {
        JsonNode stored = mapper.readTree(json);
        JsonNode written = written(payload);
        return names.stream()
                .filter((name) -> stored.has(name) && !written.has(name))
                .toList();
    }

    private JsonNode written(Object payload) {
        try {
            return mapper.valueToTree(payload);
        } catch (JacksonException ex) {
            // A class that is only read says nothing about what is written.
            return mapper.createObjectNode();
        }
    }

    private List<Component> requiredComponents(Class<?> type) {
        ClassIntrospector classes = mapper.serializationConfig().classIntrospectorInstance();
        JavaType javaType = mapper.constructType(type);
        List<Component> found = new ArrayList<>();
        for (BeanPropertyDefinition property : classes.introspectForSerialization(
                        javaType, classes.introspectClassAnnotations(javaType))
                .findProperties()) {
            for (RecordComponent component : type.getRecordComponents()) {
                if (component.getName().equals(property.getInternalName())
                        && !component.getType().isPrimitive()
                        && !isNullable(component)
                        && component.getAccessor().trySetAccessible()) {
                    found.add(new Component(component.getAccessor(), property.getName()));
                }
            }
        }
        return found;
    }

    /** Accepts any annotation of that name, whether of JSpecify, Jakarta or Spring, on the component, its type or its accessor. */
    private static boolean isNullable(RecordComponent component) {
        return Stream.<AnnotatedElement>of(component, component.getAnnotatedType(), component.getAccessor())
                .flatMap((element) -> Arrays.stream(element.getAnnotations()))
                .anyMatch((annotation) ->
                        annotation.annotationType().getSimpleName().equals("Nullable"));
    }
}
