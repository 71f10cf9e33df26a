package dev.outbox.spring.autoconfigure.outboxed;

import dev.outbox.InvalidEventException;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.util.Set;
import java.util.UUID;
import org.springframework.util.ClassUtils;

/** Conversion of properties to aggregate ids: only of types whose text never changes, because ids are stored. */
final class AggregateIds {

    private static final Set<Class<?>> TYPES =
            Set.of(UUID.class, Long.class, Integer.class, Short.class, Byte.class, BigInteger.class, Character.class);

    private AggregateIds() {}

    /** Refuses a property whose declared class excludes an id. */
    static void requirePossible(PropertyPath property) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(property.type());
        if (Modifier.isFinal(type.getModifiers()) && !isId(type)) {
            throw refused(property, type);
        }
    }

    static String of(PropertyPath property, Object event) {
        Object value = property.read(event);
        if (!isId(value.getClass())) {
            throw refused(property, value.getClass());
        }
        return value instanceof Enum<?> constant ? constant.name() : value.toString();
    }

    private static boolean isId(Class<?> type) {
        return CharSequence.class.isAssignableFrom(type) || Enum.class.isAssignableFrom(type) || TYPES.contains(type);
    }

    private static InvalidEventException refused(PropertyPath property, Class<?> type) {
        return new InvalidEventException(property + " is of " + type.getName()
                + ", whose text is no stable id; name a text, a UUID, an integral number or an enum constant, such as '"
                + property.path() + ".value'");
    }
}
