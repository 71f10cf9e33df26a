package dev.outbox.internal.payload;

import dev.outbox.EventType;

/** Event type and schema version that a payload class stands for, and whether the class is a copy of another one. */
public record DeclaredType(String name, int version, boolean copy) {

    /** Reads the annotation of a class, or derives the type from its simple name. */
    public static DeclaredType of(Class<?> payloadClass) {
        EventType annotation = payloadClass.getAnnotation(EventType.class);
        if (annotation == null) {
            return new DeclaredType(payloadClass.getSimpleName(), 1, false);
        }
        String name = annotation.value().isEmpty() ? payloadClass.getSimpleName() : annotation.value();
        return new DeclaredType(name, annotation.version(), annotation.copy());
    }
}
