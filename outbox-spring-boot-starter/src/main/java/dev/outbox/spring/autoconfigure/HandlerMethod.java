package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.internal.payload.PayloadClasses;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Method with {@link OutboxHandler}. */
record HandlerMethod(CalledMethod called, OutboxHandler annotation) {

    /** Converts the method to a handler. Throws an {@link OutboxConfigurationException} if it breaks a rule. */
    HandlerDefinition define() {
        called.check(HandlerSignature.ALLOWED);
        if (annotation.deduplicate()) {
            called.checkJoinsTransaction("has deduplicate = true");
        }
        HandlerDefinition definition = definition().onDead(annotation.onDead()).aliases(annotation.aliases());
        OutboxedPayload.check(called, definition.payloadType());
        return annotation.deduplicate() ? definition.deduplicating() : definition;
    }

    private HandlerDefinition definition() {
        Set<String> eventTypes = Set.copyOf(Arrays.asList(annotation.eventTypes()));
        HandlerSignature signature = HandlerSignature.of(called.method(), called.type());
        if (signature == null) {
            throw called.refused("has parameters that a handler cannot have; " + HandlerSignature.ALLOWED);
        }
        requireKnownClasses(signature.payloadType());
        if (eventTypes.isEmpty() && !signature.namesEventType()) {
            throw called.refused(
                    "names no event type and has no payload class to derive it from; set eventTypes, or \"*\" for all");
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

    @SuppressWarnings("unchecked") // the method takes a list of this class
    private static @Nullable Class<Object> objects(@Nullable Class<?> payloadType) {
        return (Class<Object>) payloadType;
    }

    private void requireKnownClasses(@Nullable Class<?> payloadType) {
        if (payloadType != null) {
            try {
                PayloadClasses.of(payloadType);
            } catch (IllegalArgumentException ex) {
                throw called.refused("takes " + ex.getMessage());
            }
        }
    }

    private String id() {
        return annotation.id().isEmpty()
                ? called.beanName() + "." + called.method().getName()
                : annotation.id();
    }
}
