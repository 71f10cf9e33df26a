package dev.outbox.fuzz;

import java.util.Iterator;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares JSON as {@code jsonb} does: numbers by value, objects without order, of equal keys the last. */
final class Json {

    /** As an application has it: what this one cannot read, its handlers cannot. */
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private static final JsonMapper EXACT = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private Json() {}

    static String write(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    static <T> T read(String json, Class<T> type) {
        return MAPPER.readValue(json, type);
    }

    static boolean same(String one, String other) {
        MAPPER.readTree(other);
        return same(EXACT.readTree(one), EXACT.readTree(other));
    }

    private static boolean same(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue()) == 0;
        }
        if (one.size() != other.size() || one.getNodeType() != other.getNodeType()) {
            return false;
        }
        if (one.isArray()) {
            Iterator<JsonNode> others = other.iterator();
            return one.valueStream().allMatch((value) -> same(value, others.next()));
        }
        if (one.isObject()) {
            return one.properties().stream()
                    .allMatch((Map.Entry<String, JsonNode> entry) ->
                            other.has(entry.getKey()) && same(entry.getValue(), other.get(entry.getKey())));
        }
        return one.equals(other);
    }
}
