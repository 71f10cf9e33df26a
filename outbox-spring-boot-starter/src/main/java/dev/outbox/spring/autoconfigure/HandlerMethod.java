package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerDefinition;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.internal.payload.PayloadClasses;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Method with {@link OutboxHandler}, or one that becomes a handler as if it had the annotation. */
record HandlerMethod(CalledMethod called, OutboxHandler annotation) {

    /** Converts the method to a handler. Throws an {@link OutboxConfigurationException} if it breaks a rule. */
    HandlerDefinition define() {
        return withTimeout(defineWithoutTimeout());
    }

    /** Does the same at build time, when the placeholder of a timeout may have no value. */
    HandlerDefinition defineWithoutTimeout() {
        called.check(HandlerSignature.ALLOWED);
        if (annotation.deduplicate()) {
            called.checkJoinsTransaction("has deduplicate = true");
        }
        HandlerDefinition definition =
                withMaxAttempts(definition()).onDead(annotation.onDead()).aliases(annotation.aliases());
        return annotation.deduplicate() ? definition.deduplicating() : definition;
    }

    private HandlerDefinition withTimeout(HandlerDefinition definition) {
        try {
            String text = called.beanFactory().resolveEmbeddedValue(annotation.timeout());
            if (text == null || text.isEmpty()) {
                return definition;
            }
            Duration timeout = DurationStyle.detectAndParse(text);
            String problem = DurationBounds.TIMEOUT.problem(timeout);
            if (problem != null) {
                throw new IllegalArgumentException(problem);
            }
            return definition.timeout(timeout);
        } catch (IllegalArgumentException ex) {
            throw called.refused(
                    "has timeout = \"" + annotation.timeout() + "\": " + ex.getMessage(),
                    "set a duration from 1s to 1d, such as \"5s\"");
        }
    }

    private HandlerDefinition withMaxAttempts(HandlerDefinition definition) {
        int maxAttempts = annotation.maxAttempts();
        if (maxAttempts < 0) {
            throw called.refused(
                    "has maxAttempts = " + maxAttempts, "set 1 or more, or leave it out for the configured number");
        }
        return maxAttempts == 0 ? definition : definition.maxAttempts(maxAttempts);
    }

    private HandlerDefinition definition() {
        Set<String> eventTypes = Set.copyOf(Arrays.asList(annotation.eventTypes()));
        HandlerSignature signature = signature();
        checkClasses(signature.payloadType());
        if (eventTypes.isEmpty() && !signature.namesEventType()) {
            throw called.refused(
                    "names no event type and has no payload class to derive it from",
                    "set eventTypes, or \"*\" for all");
        }
        return signature.ofBatch()
                ? HandlerDefinition.ofBatch(
                        id(),
                        eventTypes,
                        objects(signature.payloadType()),
                        (payloads, events, outcome, context) ->
                                called.invoke(signature.arguments(payloads, events, outcome, context)))
                : HandlerDefinition.withContext(
                        id(),
                        eventTypes,
                        signature.payloadType(),
                        (payload, envelope, context) ->
                                called.invoke(signature.arguments(payload, envelope, null, context)));
    }

    private HandlerSignature signature() {
        try {
            return HandlerSignature.of(called.method(), called.type());
        } catch (IllegalArgumentException ex) {
            throw called.refused(String.valueOf(ex.getMessage()), HandlerSignature.ALLOWED);
        }
    }

    @SuppressWarnings("unchecked") // the method takes a list of this class
    private static @Nullable Class<Object> objects(@Nullable Class<?> payloadType) {
        return (Class<Object>) payloadType;
    }

    /** Fails if the classes, or the mark of one, are invalid, or if Spring and the outbox would both call the method. */
    private void checkClasses(@Nullable Class<?> payloadType) {
        boolean listens =
                called.adopted() == null && AnnotatedElementUtils.hasAnnotation(called.method(), EventListener.class);
        for (Class<?> type : payloadType == null ? Set.<Class<?>>of() : concrete(payloadType)) {
            if (isMarked(type) && listens) {
                throw called.refused(
                        "is also an @EventListener: Spring calls it when an application publishes "
                                + type.getSimpleName() + ", and the outbox calls it again",
                        "remove one of the annotations");
            }
        }
    }

    private Collection<Class<?>> concrete(Class<?> payloadType) {
        try {
            return PayloadClasses.of(payloadType).concrete();
        } catch (IllegalArgumentException ex) {
            throw called.refused("takes " + ex.getMessage());
        }
    }

    private boolean isMarked(Class<?> type) {
        try {
            return OutboxedType.of(type) != null;
        } catch (InvalidEventException ex) {
            throw called.refused("takes a class that cannot be published: " + ex.getMessage());
        }
    }

    private String id() {
        return annotation.id().isEmpty()
                ? called.beanName() + "." + called.method().getName()
                : annotation.id();
    }
}
