package dev.outbox.sample.audit;

import dev.outbox.EventEnvelope;
import dev.outbox.spring.OutboxMapper;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Masks sensitive fields, except for their last four characters. */
@Component
final class Mask {

    private static final Map<String, Set<String>> SENSITIVE = Map.of("UserSessionCreated", Set.of("session_id"));

    private static final int SHOWN = 4;

    private final JsonMapper json;

    Mask(@OutboxMapper JsonMapper json) {
        this.json = json;
    }

    /** Returns the masked payload. */
    String payloadOf(EventEnvelope event) {
        Set<String> sensitive = SENSITIVE.getOrDefault(event.eventType(), Set.of());
        if (sensitive.isEmpty() || !(json.readTree(event.payload()) instanceof ObjectNode payload)) {
            return event.payload();
        }
        sensitive.forEach((field) -> payload.put(field, masked(payload.path(field))));
        return payload.toString();
    }

    private static String masked(JsonNode value) {
        String text = value.asString("");
        return "****" + text.substring(Math.max(0, text.length() - SHOWN));
    }
}
