package dev.outbox.internal.payload;

import dev.outbox.EventType;
import dev.outbox.Outboxed;

/** Event type and schema version that a payload class stands for, and whether the class is a copy of another one. */
public record DeclaredType(String name, int version, boolean copy) {

    /** Reads {@link EventType} of a class, else {@link Outboxed}, or derives the type from its simple name. */
    public static DeclaredType of(Class<?> payloadClass) {
        EventType type = payloadClass.getAnnotation(EventType.class);
        if (type != null) {
            return new DeclaredType(named(type.value(), payloadClass), type.version(), type.copy());
        }
        Outboxed mark = payloadClass.getAnnotation(Outboxed.class);
        return mark != null
                ? new DeclaredType(named(mark.eventType(), payloadClass), mark.version(), false)
                : new DeclaredType(payloadClass.getSimpleName(), 1, false);
    }

    private static String named(String name, Class<?> payloadClass) {
        return name.isEmpty() ? payloadClass.getSimpleName() : name;
    }
}
