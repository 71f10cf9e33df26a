package dev.outbox.internal.dispatch;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.introspect.AnnotatedParameter;

/** Component of a payload record. */
final class PayloadComponent {

    private static final Set<Class<?>> OPTIONALS =
            Set.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class);

    private final Method accessor;
    private final boolean required;

    private PayloadComponent(RecordComponent component) {
        this.accessor = component.getAccessor();
        Class<?> type = component.getType();
        boolean mayBeMissing = type.isPrimitive() || OPTIONALS.contains(type) || isNullable(component);
        this.required = accessor.trySetAccessible() && !mayBeMissing;
    }

    /** Finds the component that a property sets through the canonical constructor; {@code null} if there is none. */
    static @Nullable PayloadComponent of(SettableBeanProperty property, Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        if (components == null || !(property.getMember() instanceof AnnotatedParameter parameter)) {
            return null;
        }
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        boolean canonical = parameter.getOwner().getAnnotated() instanceof Constructor<?> constructor
                && Arrays.equals(constructor.getParameterTypes(), types);
        return canonical ? new PayloadComponent(components[parameter.getIndex()]) : null;
    }

    /** Any annotation of that name: of JSpecify, Jakarta, Spring and others, on the component, its type or its accessor. */
    private static boolean isNullable(RecordComponent component) {
        return Stream.<AnnotatedElement>of(component, component.getAnnotatedType(), component.getAccessor())
                .flatMap((element) -> Arrays.stream(element.getAnnotations()))
                .anyMatch((annotation) ->
                        annotation.annotationType().getSimpleName().equals("Nullable"));
    }

    /** Whether the component must have a value: neither primitive nor optional nor nullable. */
    boolean isRequired() {
        return required;
    }

    boolean isNullIn(Object payload) {
        try {
            return accessor.invoke(payload) == null;
        } catch (IllegalAccessException | InvocationTargetException ex) {
            return false;
        }
    }
}
