package dev.outbox.spring.autoconfigure;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Rules for a handler whose payload class is marked {@link Outboxed}. */
final class OutboxedPayload {

    private OutboxedPayload() {}

    /** Throws an {@link OutboxConfigurationException} if the mark is invalid, or if Spring and the outbox would both call the method. */
    static void check(CalledMethod called, @Nullable Class<?> payloadType) {
        if (payloadType == null) {
            return;
        }
        boolean listens = AnnotatedElementUtils.hasAnnotation(called.method(), EventListener.class);
        concrete(payloadType)
                .filter((type) -> isMarked(called, type) && listens)
                .forEach((type) -> {
                    throw called.refused("is also an @EventListener: Spring calls it when an application publishes "
                            + type.getSimpleName() + ", and the outbox calls it again; remove one of the annotations");
                });
    }

    private static Stream<Class<?>> concrete(Class<?> type) {
        Class<?>[] permitted = type.getPermittedSubclasses();
        Stream<Class<?>> below =
                permitted == null ? Stream.empty() : Arrays.stream(permitted).flatMap(OutboxedPayload::concrete);
        return Modifier.isAbstract(type.getModifiers()) ? below : Stream.concat(Stream.of(type), below);
    }

    private static boolean isMarked(CalledMethod called, Class<?> type) {
        try {
            return OutboxedType.of(type) != null;
        } catch (InvalidEventException ex) {
            throw called.refused("takes a class that cannot be published: " + ex.getMessage());
        }
    }
}
