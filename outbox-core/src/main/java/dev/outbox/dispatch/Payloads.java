package dev.outbox.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Decodes the payload of one event, once for each class that its handlers want. */
final class Payloads {

    private final PayloadReaders readers;
    private final EventEnvelope envelope;
    private Map<Class<?>, Object> decoded = Map.of();

    Payloads(PayloadReaders readers, EventEnvelope envelope) {
        this.readers = readers;
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
                decoded = with(type, known);
            }
        }
        return known;
    }

    /** Nearly always there is one class only. */
    private Map<Class<?>, Object> with(Class<?> type, Object payload) {
        if (decoded.isEmpty()) {
            return Map.of(type, payload);
        }
        Map<Class<?>, Object> all = new HashMap<>(decoded);
        all.put(type, payload);
        return all;
    }

    private Object decode(Class<?> type) throws UndecodableException {
        try {
            Object value = readers.read(envelope.payload(), type);
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
