package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import java.util.HashMap;
import java.util.Map;
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

    /** Decodes the payload for a handler. */
    Object decode(HandlerDefinition handler) throws UndecodableException {
        Class<?> type = handler.payloadType();
        if (type == null) {
            return envelope;
        }
        Object known = decoded.get(type);
        if (known == null) {
            known = readers.read(envelope.payload(), type);
            // A JsonNode can be changed by the handler that gets it, so the next one gets its own.
            if (type != JsonNode.class) {
                decoded = with(type, known);
            }
        }
        readers.requireFields(handler, envelope, known);
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
}
