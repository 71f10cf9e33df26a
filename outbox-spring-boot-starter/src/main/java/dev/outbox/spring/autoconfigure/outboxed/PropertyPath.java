package dev.outbox.spring.autoconfigure.outboxed;

import dev.outbox.InvalidEventException;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Property of an event, or of an object that it refers to, which an attribute of an annotation names.
 *
 * @param name the attribute and the property, for a message
 * @param type the declared class of the value
 */
record PropertyPath(String name, String path, List<Method> accessors, Class<?> type) {

    /** Finds the accessors. Throws an {@link InvalidEventException} if a name of the path is not a property. */
    static PropertyPath of(String attribute, String path, Class<?> eventType) {
        String name = attribute + " '" + path + "' of @Outboxed " + eventType.getName();
        List<Method> accessors = new ArrayList<>();
        ResolvableType owner = ResolvableType.forClass(eventType);
        for (String property : path.split("\\.", -1)) {
            Class<?> ownerClass = owner.toClass();
            Method accessor = accessor(ownerClass, property);
            if (accessor == null) {
                throw new InvalidEventException(name + " names no property: " + ownerClass.getName() + " has no method "
                        + property + "() or get" + StringUtils.capitalize(property)
                        + "(); name a record component, an accessor, or a path such as order.id");
            }
            accessors.add(accessor);
            ResolvableType declaring = owner.as(accessor.getDeclaringClass());
            owner = ResolvableType.forType(accessor.getGenericReturnType(), declaring);
        }
        return new PropertyPath(name, path, List.copyOf(accessors), owner.toClass());
    }

    private static @Nullable Method accessor(Class<?> type, String property) {
        if (property.isBlank()) {
            return null;
        }
        String capitalized = StringUtils.capitalize(property);
        return Stream.of(property, "get" + capitalized, "is" + capitalized)
                .map((name) -> method(type, name))
                .filter(Objects::nonNull)
                .filter(PropertyPath::isAccessor)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable Method method(Class<?> type, String name) {
        Method visible = ClassUtils.getMethodIfAvailable(type, name);
        return visible != null ? visible : ReflectionUtils.findMethod(type, name);
    }

    private static boolean isAccessor(Method method) {
        return method.getReturnType() != void.class
                && method.getDeclaringClass() != Object.class
                && !Modifier.isStatic(method.getModifiers())
                && !ReflectionUtils.isHashCodeMethod(method)
                && !ReflectionUtils.isToStringMethod(method);
    }

    /** Reads the value. Throws an {@link InvalidEventException} if it is {@code null}, or if an accessor throws. */
    Object read(Object event) {
        Object value = event;
        for (Method accessor : accessors) {
            value = read(accessor, value);
            if (value == null) {
                throw new InvalidEventException(name + " is null: " + accessor.getName() + "() of "
                        + accessor.getDeclaringClass().getName()
                        + " returned nothing; publish the event when it is known, with JPA after the flush");
            }
        }
        return value;
    }

    private @Nullable Object read(Method accessor, Object owner) {
        try {
            ReflectionUtils.makeAccessible(accessor);
            return accessor.invoke(owner);
        } catch (InvocationTargetException ex) {
            if (ex.getTargetException() instanceof Error error) {
                throw error;
            }
            throw new InvalidEventException(
                    name + " cannot be read, because " + accessor.getName() + "() failed with "
                            + ex.getTargetException().getClass().getName(),
                    ex.getTargetException());
        } catch (IllegalAccessException | InaccessibleObjectException ex) {
            throw new InvalidEventException(
                    name + " cannot be read, because " + accessor + " is not accessible; make it public", ex);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
