package dev.outbox.spring.autoconfigure;

import dev.outbox.EventEnvelope;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JsonNode;

/**
 * The parameters of a handler method.
 *
 * @param payloadType the class of the payload, or {@code null} where there is only the envelope
 * @param withEnvelope whether there is an envelope
 */
record HandlerSignature(@Nullable Class<?> payloadType, boolean withEnvelope) {

    /** What to write instead. */
    static final String ALLOWED = """
            a handler is declared as one of
                void handle(Payload event)
                void handle(Payload event, EventEnvelope envelope)
                void handle(JsonNode payload)
                void handle(JsonNode payload, EventEnvelope envelope)
                void handle(EventEnvelope envelope)
            where Payload is a class of your own without type parameters, and JsonNode is tools.jackson.databind.JsonNode""";

    /** Reads the parameters as they are in a bean class; {@code null} if no handler can have them. */
    static @Nullable HandlerSignature of(Method method, Class<?> beanClass) {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length == 1 && parameters[0] == EventEnvelope.class) {
            return new HandlerSignature(null, true);
        }
        boolean withEnvelope = parameters.length == 2 && parameters[1] == EventEnvelope.class;
        if (parameters.length != 1 && !withEnvelope) {
            return null;
        }
        ResolvableType payload = ResolvableType.forMethodParameter(method, 0, beanClass);
        Class<?> payloadType = payload.resolve(Object.class);
        return isPayload(payloadType) && !payload.hasGenerics()
                ? new HandlerSignature(payloadType, withEnvelope)
                : null;
    }

    /** Whether the event type can be told from the payload's class. */
    boolean namesEventType() {
        return payloadType != null && payloadType != JsonNode.class;
    }

    private static boolean isPayload(Class<?> candidate) {
        if (candidate == JsonNode.class) {
            return true;
        }
        // Jackson 2 has a JsonNode too, and both have subclasses; to take them for payloads would be a
        // misunderstanding.
        boolean alike = candidate.getSimpleName().equals("JsonNode") || JsonNode.class.isAssignableFrom(candidate);
        boolean builtIn = candidate.isPrimitive()
                || candidate.isArray()
                || candidate.getName().startsWith("java.");
        return candidate != EventEnvelope.class && !alike && !builtIn;
    }
}
