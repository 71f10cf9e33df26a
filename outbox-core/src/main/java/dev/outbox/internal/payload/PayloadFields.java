package dev.outbox.internal.payload;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
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

    /** Names of the fields that a read meets and the classes do not know; an attribute of the read. */
    static final class Unknown {

        private final Set<String> names = new LinkedHashSet<>();
    }

    /** Notes the field, and leaves it to Jackson whether it is an error. */
    @Override
    public boolean handleUnknownProperty(
            DeserializationContext context,
            JsonParser parser,
            ValueDeserializer<?> deserializer,
            Object beanOrClass,
            String propertyName) {
        if (context.getAttribute(Unknown.class) instanceof Unknown unknown) {
            unknown.names.add(propertyName);
        }
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
        if (withoutValue.isEmpty() || !json.startsWith("{")) {
            return List.of();
        }
        Set<String> present = present(json);
        Set<String> written = written(payload);
        return withoutValue.stream()
                .filter((field) -> written.contains(field) && !present.contains(field))
                .toList();
    }

    /** Returns the unknown fields at the top level of a payload, without those that its class writes but never reads. */
    List<String> unknown(Unknown unknown, String json, Object payload) {
        if (unknown.names.isEmpty()) {
            return List.of();
        }
        Set<String> written = written(payload);
        Set<String> present = present(json);
        return unknown.names.stream()
                .filter((name) -> present.contains(name) && !written.contains(name))
                .toList();
    }

    private Set<String> written(Object payload) {
        try {
            return Set.copyOf(mapper.valueToTree(payload).propertyNames());
        } catch (JacksonException ex) {
            // A class that is only read says nothing about what is written.
            return Set.of();
        }
    }

    /** Returns the names of the top-level fields of a payload. */
    private Set<String> present(String json) {
        Set<String> fields = new LinkedHashSet<>();
        try (JsonParser parser = mapper.createParser(json)) {
            parser.nextToken();
            for (String field = parser.nextName(); field != null; field = parser.nextName()) {
                fields.add(field);
                parser.nextToken();
                parser.skipChildren();
            }
        }
        return fields;
    }

    private List<Component> requiredComponents(Class<?> type) {
        ClassIntrospector classes = mapper.serializationConfig().classIntrospectorInstance();
        JavaType javaType = mapper.constructType(type);
        List<Component> found = new ArrayList<>();
        for (BeanPropertyDefinition property : classes.introspectForSerialization(
                        javaType, classes.introspectClassAnnotations(javaType))
                .findProperties()) {
            Arrays.stream(type.getRecordComponents())
                    .filter((component) -> component.getName().equals(property.getInternalName()))
                    .filter((component) -> !component.getType().isPrimitive() && !isNullable(component))
                    .map(RecordComponent::getAccessor)
                    .filter(Method::trySetAccessible)
                    .forEach((accessor) -> found.add(new Component(accessor, property.getName())));
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
