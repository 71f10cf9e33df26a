package dev.outbox.spring.autoconfigure;

import dev.outbox.BatchOutcome;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.JsonNode;

/** Parameters of a batch handler method: a list of payloads, of envelopes or both, and optionally the outcome and the context. */
record BatchSignature(@Nullable Class<?> payloadType, boolean withEnvelopes, boolean withOutcome, boolean withContext) {

    /** Returns whether a method means to be a batch handler. */
    static boolean isMeantBy(Method method) {
        return method.getParameterCount() > 0 && method.getParameterTypes()[0] == List.class;
    }

    /** Resolves the parameters in a bean class. Returns {@code null} if a handler cannot have them. */
    static @Nullable BatchSignature of(Method method, Class<?> beanClass) {
        List<ResolvableType> parameters = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            parameters.add(ResolvableType.forMethodParameter(method, i, beanClass));
        }
        boolean withContext = removeLast(parameters, EventContext.class);
        boolean withOutcome = removeLast(parameters, BatchOutcome.class);
        boolean withEnvelopes = !parameters.isEmpty() && isEnvelopes(parameters.get(parameters.size() - 1));
        if (withEnvelopes) {
            parameters.remove(parameters.size() - 1);
        }
        if (parameters.isEmpty()) {
            return withEnvelopes ? new BatchSignature(null, true, withOutcome, withContext) : null;
        }
        ResolvableType element = parameters.get(0).getGeneric(0);
        Class<?> payloadType = element.resolve();
        return parameters.size() == 1
                        && parameters.get(0).resolve() == List.class
                        && payloadType != null
                        && !element.hasGenerics()
                        && HandlerSignature.isPayload(payloadType)
                ? new BatchSignature(payloadType, withEnvelopes, withOutcome, withContext)
                : null;
    }

    private static boolean removeLast(List<ResolvableType> parameters, Class<?> type) {
        int last = parameters.size() - 1;
        return last >= 0 && parameters.get(last).resolve() == type && parameters.remove(last) != null;
    }

    private static boolean isEnvelopes(ResolvableType parameter) {
        return parameter.resolve() == List.class && parameter.getGeneric(0).resolve() == EventEnvelope.class;
    }

    /** Whether the payload class determines the event type. */
    boolean namesEventType() {
        return payloadType != null && payloadType != JsonNode.class;
    }

    /** Returns the arguments of the call. */
    Object[] arguments(List<Object> payloads, List<EventEnvelope> events, BatchOutcome outcome, EventContext context) {
        List<Object> arguments = new ArrayList<>(4);
        if (payloadType != null) {
            arguments.add(payloads);
        }
        if (withEnvelopes) {
            arguments.add(events);
        }
        if (withOutcome) {
            arguments.add(outcome);
        }
        if (withContext) {
            arguments.add(context);
        }
        return arguments.toArray();
    }
}
