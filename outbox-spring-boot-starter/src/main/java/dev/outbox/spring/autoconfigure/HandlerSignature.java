package dev.outbox.spring.autoconfigure;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JsonNode;

/**
 * The parameters of a handler method.
 *
 * @param payloadType the class of the payload, or {@code null} where there is none
 * @param withEnvelope whether there is an envelope
 * @param withContext whether the attempt's context comes last
 */
record HandlerSignature(@Nullable Class<?> payloadType, boolean withEnvelope, boolean withContext) {

    /** What to write instead. */
    static final String ALLOWED = """
            a handler is declared as one of
                void handle(Payload event)
                void handle(Payload event, EventEnvelope envelope)
                void handle(JsonNode payload)
                void handle(JsonNode payload, EventEnvelope envelope)
                void handle(EventEnvelope envelope)
            and may take an EventContext as its last parameter; Payload is a class of your own without type parameters, and
            JsonNode is tools.jackson.databind.JsonNode""";

    /** Reads the parameters as they are in a bean class; {@code null} if no handler can have them. */
    static @Nullable HandlerSignature of(Method method, Class<?> beanClass) {
        List<Class<?>> parameters = new ArrayList<>(Arrays.asList(method.getParameterTypes()));
        boolean withContext = removeLast(parameters, EventContext.class);
        boolean withEnvelope = removeLast(parameters, EventEnvelope.class);
        if (parameters.isEmpty() && withEnvelope) {
            return new HandlerSignature(null, true, withContext);
        }
        if (parameters.size() != 1) {
            return null;
        }
        ResolvableType payload = ResolvableType.forMethodParameter(method, 0, beanClass);
        Class<?> payloadType = payload.resolve(Object.class);
        return isPayload(payloadType) && !payload.hasGenerics()
                ? new HandlerSignature(payloadType, withEnvelope, withContext)
                : null;
    }

    private static boolean removeLast(List<Class<?>> parameters, Class<?> type) {
        int last = parameters.size() - 1;
        return last >= 0 && parameters.get(last) == type && parameters.remove(last) != null;
    }

    /** Whether the event type can be told from the payload's class. */
    boolean namesEventType() {
        return payloadType != null && payloadType != JsonNode.class;
    }

    /** What to pass to the method. */
    Object[] arguments(Object payload, EventEnvelope envelope, EventContext context) {
        List<Object> arguments = new ArrayList<>(3);
        if (payloadType != null) {
            arguments.add(payload);
        }
        if (withEnvelope) {
            arguments.add(envelope);
        }
        if (withContext) {
            arguments.add(context);
        }
        return arguments.toArray();
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
        boolean ours = candidate == EventEnvelope.class || candidate == EventContext.class;
        return !ours && !alike && !builtIn;
    }
}
