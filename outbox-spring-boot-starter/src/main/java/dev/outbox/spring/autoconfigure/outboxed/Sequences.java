package dev.outbox.spring.autoconfigure.outboxed;

import dev.outbox.InvalidEventException;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.springframework.util.ClassUtils;

/** Conversion of properties to sequences. */
final class Sequences {

    private static final Set<Class<?>> TYPES = Set.of(Long.class, Integer.class, Short.class, Byte.class);

    private Sequences() {}

    /** Refuses a property whose declared class excludes a sequence. */
    static void requirePossible(PropertyPath property) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(property.type());
        if (Modifier.isFinal(type.getModifiers()) && !TYPES.contains(type)) {
            throw refused(property, type);
        }
    }

    static long of(PropertyPath property, Object event) {
        Object value = property.read(event);
        if (!(value instanceof Number number) || !TYPES.contains(value.getClass())) {
            throw refused(property, value.getClass());
        }
        return number.longValue();
    }

    private static InvalidEventException refused(PropertyPath property, Class<?> type) {
        return new InvalidEventException(property + " is of " + type.getName()
                + " and cannot order events; name an integral number, such as a @Version of type long");
    }
}
