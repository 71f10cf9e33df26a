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

/**
 * Parameters of a handler method: a payload, an envelope or both, or lists of them, and optionally the outcome of the batch and the context
 * of the attempt.
 */
record HandlerSignature(
        @Nullable Class<?> payloadType,
        boolean ofBatch,
        boolean withEnvelope,
        boolean withOutcome,
        boolean withContext) {

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

    /** Resolves the parameters in a bean class. The exception names the first parameter that a handler cannot have, and the reason. */
    static HandlerSignature of(Method method, Class<?> beanClass) {
        List<ResolvableType> parameters = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            parameters.add(ResolvableType.forMethodParameter(method, i, beanClass));
        }
        boolean ofBatch = !parameters.isEmpty() && parameters.get(0).resolve() == List.class;
        boolean withContext = removeLast(parameters, EventContext.class, false);
        boolean withOutcome = ofBatch && removeLast(parameters, BatchOutcome.class, false);
        boolean withEnvelope = removeLast(parameters, EventEnvelope.class, ofBatch);
        if (parameters.isEmpty() && withEnvelope) {
            return new HandlerSignature(null, ofBatch, true, withOutcome, withContext);
        }
        if (parameters.isEmpty()) {
            throw new IllegalArgumentException("has no parameter for the event");
        }
        ResolvableType payload = ofBatch ? parameters.get(0).getGeneric(0) : parameters.get(0);
        String refusal = refusal(payload);
        if (refusal != null) {
            throw refused(1, payload, refusal);
        }
        if (parameters.size() > 1) {
            throw refused(
                    parameters.size(),
                    parameters.get(parameters.size() - 1),
                    ofBatch
                            ? "where List<EventEnvelope>, BatchOutcome and EventContext may follow, in this order"
                            : "where only an EventEnvelope and an EventContext may follow, in this order");
        }
        return new HandlerSignature(payload.resolve(), ofBatch, withEnvelope, withOutcome, withContext);
    }

    private static IllegalArgumentException refused(int number, ResolvableType type, String reason) {
        return new IllegalArgumentException(
                "has parameters that a handler cannot have: parameter " + number + " is " + type + ", " + reason);
    }

    private static boolean removeLast(List<ResolvableType> parameters, Class<?> type, boolean list) {
        int last = parameters.size() - 1;
        if (last < 0 || (list && parameters.get(last).resolve() != List.class)) {
            return false;
        }
        ResolvableType parameter = list ? parameters.get(last).getGeneric(0) : parameters.get(last);
        return parameter.resolve() == type && parameters.remove(last) != null;
    }

    /** Whether the payload class determines the event type. */
    boolean namesEventType() {
        return payloadType != null && payloadType != JsonNode.class;
    }

    /** Returns the arguments of the call. */
    Object[] arguments(Object payload, Object envelope, @Nullable BatchOutcome outcome, EventContext context) {
        List<@Nullable Object> arguments = new ArrayList<>(4);
        if (payloadType != null) {
            arguments.add(payload);
        }
        if (withEnvelope) {
            arguments.add(envelope);
        }
        if (withOutcome) {
            arguments.add(outcome);
        }
        if (withContext) {
            arguments.add(context);
        }
        return arguments.toArray();
    }

    private static @Nullable String refusal(ResolvableType payload) {
        Class<?> type = payload.resolve();
        if (type == JsonNode.class) {
            return null;
        }
        // Jackson 2's JsonNode and the subclasses of either are mistakes, not payload classes.
        if (type != null && (type.getSimpleName().equals("JsonNode") || JsonNode.class.isAssignableFrom(type))) {
            return "which is not " + JsonNode.class.getName();
        }
        if (type == EventEnvelope.class || type == EventContext.class || type == BatchOutcome.class) {
            return "which must follow the payload";
        }
        if (type == null || payload.hasGenerics()) {
            return "whose type parameters the stored event does not tell";
        }
        return type.isPrimitive() || type.isArray() || type.getName().startsWith("java.")
                ? "which names no event type; take a record of yours, or JsonNode"
                : null;
    }
}
