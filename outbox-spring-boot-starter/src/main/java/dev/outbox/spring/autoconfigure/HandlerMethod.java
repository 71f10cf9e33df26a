package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerConfigurationException;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxHandler;
import java.util.Arrays;
import java.util.Set;

/** Method with {@link OutboxHandler}. */
record HandlerMethod(CalledMethod called, OutboxHandler annotation) {

    /** Converts the method to a handler. Throws a {@link HandlerConfigurationException} if it breaks a rule. */
    HandlerDefinition define() {
        called.check(HandlerSignature.ALLOWED);
        if (annotation.deduplicate()) {
            called.checkJoinsTransaction("has deduplicate = true");
        }
        Set<String> eventTypes = Set.copyOf(Arrays.asList(annotation.eventTypes()));
        HandlerSignature signature = HandlerSignature.of(called.method(), called.type());
        if (signature == null) {
            throw called.refused("has parameters that a handler cannot have; " + HandlerSignature.ALLOWED);
        }
        if (eventTypes.isEmpty() && !signature.namesEventType()) {
            throw called.refused(
                    "names no event type and has no payload class to derive it from; set eventTypes, or \"*\" for all");
        }
        HandlerDefinition definition =
                definition(eventTypes, signature).onDead(annotation.onDead()).aliases(annotation.aliases());
        return annotation.deduplicate() ? definition.deduplicating() : definition;
    }

    private String id() {
        return annotation.id().isEmpty()
                ? called.beanName() + "." + called.method().getName()
                : annotation.id();
    }

    private HandlerDefinition definition(Set<String> eventTypes, HandlerSignature signature) {
        BeanMethod target = called.target();
        return HandlerDefinition.withContext(
                id(),
                eventTypes,
                signature.payloadType(),
                (payload, envelope, context) -> target.invoke(signature.arguments(payload, envelope, context)));
    }
}
