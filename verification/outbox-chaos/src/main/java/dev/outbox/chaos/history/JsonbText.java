package dev.outbox.chaos.history;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The text that PostgreSQL gives for a JSON text that is stored as {@code jsonb}: keys by length and then bytewise, the last of equal
 * keys, numbers with all their digits, one space after colons and commas.
 */
public final class JsonbText {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    private static final Comparator<byte[]> KEY_ORDER =
            Comparator.<byte[]>comparingInt((key) -> key.length).thenComparing(Arrays::compareUnsigned);

    private static final String ESCAPED = "\b\f\n\r\t\"\\";
    private static final String ESCAPES = "bfnrt\"\\";

    private final StringBuilder text = new StringBuilder();

    private JsonbText() {}

    /** Returns the text that PostgreSQL gives for this JSON text. */
    public static String of(String json) {
        JsonbText text = new JsonbText();
        text.append(JSON.readTree(json));
        return text.text.toString();
    }

    private void append(JsonNode node) {
        if (node.isObject()) {
            Map<byte[], Map.Entry<String, JsonNode>> sorted = new TreeMap<>(KEY_ORDER);
            node.properties().forEach((entry) -> sorted.put(entry.getKey().getBytes(StandardCharsets.UTF_8), entry));
            String separator = "{";
            for (Map.Entry<String, JsonNode> entry : sorted.values()) {
                text.append(separator);
                quote(entry.getKey());
                text.append(": ");
                append(entry.getValue());
                separator = ", ";
            }
            text.append(sorted.isEmpty() ? "{}" : "}");
        } else if (node.isArray()) {
            String separator = "[";
            for (JsonNode element : node) {
                text.append(separator);
                append(element);
                separator = ", ";
            }
            text.append(node.isEmpty() ? "[]" : "]");
        } else if (node.isString()) {
            quote(node.stringValue());
        } else if (node.isNumber()) {
            BigDecimal number = node.decimalValue();
            text.append((number.scale() < 0 ? number.setScale(0) : number).toPlainString());
        } else {
            text.append(node);
        }
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char character = value.charAt(i);
            int escape = ESCAPED.indexOf(character);
            if (escape >= 0) {
                text.append('\\').append(ESCAPES.charAt(escape));
            } else if (character < ' ') {
                text.append(String.format("\\u%04x", (int) character));
            } else {
                text.append(character);
            }
        }
        text.append('"');
    }
}
