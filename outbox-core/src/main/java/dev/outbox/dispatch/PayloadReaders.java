package dev.outbox.dispatch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** Reads payloads. Keeps what Jackson has found out about a class. Safe for use by many threads. */
final class PayloadReaders {

    private final JsonMapper mapper;
    private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();

    PayloadReaders(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /**
     * Reads a payload.
     *
     * @return the payload; null if it is the JSON literal
     * @throws JacksonException if it does not fit the class
     */
    @Nullable
    Object read(String payload, Class<?> type) {
        if (type == JsonNode.class) {
            return mapper.readTree(payload);
        }
        return readers.computeIfAbsent(type, mapper::readerFor).readValue(payload);
    }
}
