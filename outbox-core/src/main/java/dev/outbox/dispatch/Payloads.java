package dev.outbox.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Decodes the payload of one event, once for each class that its handlers want. */
final class Payloads {

    private final JsonMapper mapper;
    private final EventEnvelope envelope;
    private final Map<Class<?>, Object> decoded = new HashMap<>();

    Payloads(JsonMapper mapper, EventEnvelope envelope) {
        this.mapper = mapper;
        this.envelope = envelope;
    }

    /**
     * Decodes the payload for a handler.
     *
     * @throws UndecodableException if the payload does not fit the handler's class
     */
    Object decode(HandlerDefinition handler) throws UndecodableException {
        Class<?> type = handler.payloadType();
        if (type == null) {
            return envelope;
        }
        Object known = decoded.get(type);
        if (known == null) {
            known = decode(type);
            // A JsonNode can be changed by the handler that gets it, so the next one gets its own.
            if (type != JsonNode.class) {
                decoded.put(type, known);
            }
        }
        return known;
    }

    private Object decode(Class<?> type) throws UndecodableException {
        try {
            Object value = type == JsonNode.class
                    ? mapper.readTree(envelope.payload())
                    : mapper.readValue(envelope.payload(), type);
            if (value == null) {
                throw new UndecodableException("the payload is null", null);
            }
            return value;
        } catch (JacksonException ex) {
            // Not the mapper's message: it may quote the payload, which no log should hold.
            throw new UndecodableException(
                    "the payload does not fit " + type.getName() + " at " + ex.getPathReference() + ": "
                            + ex.getClass().getSimpleName(),
                    null);
        }
    }

    /** The payload does not fit the handler's class, and never will. */
    static final class UndecodableException extends Exception {

        private static final long serialVersionUID = 1L;

        UndecodableException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
