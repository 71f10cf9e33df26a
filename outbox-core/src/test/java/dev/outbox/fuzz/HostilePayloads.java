package dev.outbox.fuzz;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Payloads as another program, or another version, may have written them. */
final class HostilePayloads {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Hostile values;

    HostilePayloads(Hostile values) {
        this.values = values;
    }

    enum Colour {
        RED,
        GREEN
    }

    record Plain(String text, int number, boolean flag, Colour colour) {}

    record Numbers(
            double d, float f, long l, short s, BigDecimal decimal, BigInteger big, Integer boxed, byte[] bytes) {}

    record Times(Instant at, LocalDate day, Duration lasting, UUID id) {}

    record Nested(Plain plain, List<Plain> list, Map<String, Plain> map, Optional<Plain> maybe, Set<Colour> set) {}

    record Open(Object any, JsonNode tree, Shape shape) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Box.class, name = "box")
    })
    sealed interface Shape permits Circle, Box {}

    record Circle(double radius) implements Shape {}

    record Box(Shape inner) implements Shape {}

    static final Map<String, Class<?>> TYPES = Map.of(
            "Plain", Plain.class,
            "Numbers", Numbers.class,
            "Times", Times.class,
            "Nested", Nested.class,
            "Open", Open.class,
            "Tree", JsonNode.class,
            "Mapped", Map.class,
            "Texts", String.class);

    /** JSON of the type's shape with a few edits; sometimes something else altogether. */
    String edited(String type) {
        if (values.oneIn(20)) {
            return odd();
        }
        JsonNode root = MAPPER.valueToTree(valid(type));
        for (int edits = values.random().nextInt(4); edits > 0; edits--) {
            root = edit(root, 3);
        }
        return MAPPER.writeValueAsString(root);
    }

    private String odd() {
        String text = "\"" + "x".repeat(values.random().nextInt(1000)) + "\"";
        return switch (values.random().nextInt(7)) {
            case 0 -> "null";
            case 1 -> text;
            case 2 -> "[".repeat(700) + "]".repeat(700);
            case 3 -> "{\"a\":".repeat(600) + "1" + "}".repeat(600);
            case 4 -> "{\"number\":1e" + values.random().nextInt(9000) + "}";
            case 5 -> "{\"" + "n".repeat(60_000) + "\":" + text + "}";
            default -> "{\"decimal\":" + "7".repeat(1 + values.random().nextInt(3000)) + "}";
        };
    }

    private Object valid(String type) {
        return switch (type) {
            case "Plain" -> plain();
            case "Numbers" ->
                new Numbers(0.5, 1.5f, 1L << 60, (short) 3, new BigDecimal("1.10"), BigInteger.TEN, 7, new byte[] {1});
            case "Times" -> new Times(Instant.EPOCH, LocalDate.EPOCH, Duration.ofDays(1), new UUID(1, 2));
            case "Nested" ->
                new Nested(plain(), List.of(plain()), Map.of("key", plain()), Optional.of(plain()), Set.of(Colour.RED));
            case "Open" -> new Open(Map.of("a", 1), MAPPER.createArrayNode(), new Box(new Circle(1)));
            case "Texts" -> values.text();
            default -> values.map(2);
        };
    }

    private Plain plain() {
        return new Plain(values.text(), values.random().nextInt(), true, Colour.GREEN);
    }

    private JsonNode edit(JsonNode node, int depth) {
        if (node instanceof ObjectNode object && !object.isEmpty() && depth > 0) {
            String name = values.oneOf(List.copyOf(object.propertyNames()));
            switch (values.random().nextInt(6)) {
                case 0 -> object.remove(name);
                case 1 -> object.set(values.text(), object.remove(name));
                case 2 -> object.set(values.text(), tree());
                case 3 -> object.set(name, MAPPER.createArrayNode().add(object.get(name)));
                default -> object.set(name, edit(object.get(name), depth - 1));
            }
            return object;
        }
        if (node instanceof ArrayNode array && !array.isEmpty() && depth > 0) {
            int place = values.random().nextInt(array.size());
            array.set(place, edit(array.get(place), depth - 1));
            return array;
        }
        return tree();
    }

    private JsonNode tree() {
        List<Object> usual =
                new ArrayList<>(List.of("RED", "blue", "1970-01-01T00:00:00Z", "9999999999", "circle", "true", 1, ""));
        usual.add(null);
        return MAPPER.valueToTree(values.oneIn(2) ? values.oneOf(usual) : values.value(2));
    }

    /** Headers of a shape that the publisher would not write. */
    String headers() {
        return values.oneIn(3)
                ? values.oneOf(List.of(
                        "null",
                        "[]",
                        "1",
                        "\"text\"",
                        "{\"a\":null,\"b\":{\"c\":[1]},\"d\":1e300}",
                        "{\"" + "n".repeat(60_000) + "\":\"v\"}",
                        "{\"deep\":" + "[".repeat(600) + "]".repeat(600) + "}",
                        "{\"traceId\":[1],\"\":\"\"}"))
                : "{}";
    }
}
