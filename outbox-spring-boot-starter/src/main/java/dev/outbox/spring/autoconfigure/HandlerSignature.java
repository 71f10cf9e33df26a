package dev.outbox.spring.autoconfigure;

import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JsonNode;

/** Parameters of a handler method: a payload, an envelope or both, and optionally the context of the attempt. */
record HandlerSignature(@Nullable Class<?> payloadType, boolean withEnvelope, boolean withContext) {

    /** Tells in a message which signatures are allowed. */
    static final String ALLOWED = """
            declare a handler as one of
                void handle(Payload event)
                void handle(Payload event, EventEnvelope envelope)
                void handle(JsonNode payload)
                void handle(JsonNode payload, EventEnvelope envelope)
                void handle(EventEnvelope envelope)
            or of many events at a time as one of
                void handle(List<Payload> events)
                void handle(List<Payload> events, List<EventEnvelope> envelopes)
                void handle(List<EventEnvelope> envelopes)
            optionally with a BatchOutcome after the lists, and with an EventContext as the last parameter; Payload is a record or
            another class of yours without type parameters, or a sealed type of such classes,
            and JsonNode is tools.jackson.databind.JsonNode""";

    /** Resolves the parameters in a bean class. Returns {@code null} if a handler cannot have them. */
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

    /** Whether the payload class determines the event type. */
    boolean namesEventType() {
        return payloadType != null && payloadType != JsonNode.class;
    }

    /** Returns the arguments of the call. */
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

    static boolean isPayload(Class<?> candidate) {
        if (candidate == JsonNode.class) {
            return true;
        }
        // Jackson 2's JsonNode and the subclasses of either are mistakes, not payload classes.
        boolean otherNode = candidate.getSimpleName().equals("JsonNode") || JsonNode.class.isAssignableFrom(candidate);
        boolean builtIn = candidate.isPrimitive()
                || candidate.isArray()
                || candidate.getName().startsWith("java.");
        boolean ours =
                candidate == EventEnvelope.class || candidate == EventContext.class || candidate == BatchOutcome.class;
        return !ours && !otherNode && !builtIn;
    }
}
