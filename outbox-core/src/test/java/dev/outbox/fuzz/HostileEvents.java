package dev.outbox.fuzz;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.outbox.OutboxEvent;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Events that a publisher accepts or refuses, but never stumbles over. */
final class HostileEvents {

    static final int LARGEST_PAYLOAD = 60_000;
    static final String ODD_STREAM = "it's \"odd\"; $$ {schema} \u00fcber";

    private final Hostile values;

    HostileEvents(Hostile values) {
        this.values = values;
    }

    /** A record with content of every kind. */
    record Odd(String text, Double number, BigDecimal decimal, List<Object> list, Map<String, Object> map) {}

    /** A payload that writes what it likes, also what is not JSON. */
    record Raw(@JsonRawValue String raw) {}

    /** A payload whose property fails. */
    record Failing(String text) {
        public String getBroken() {
            throw new IllegalStateException(text);
        }
    }

    /** Refers to itself. */
    public static final class Cyclic {
        public final List<Object> children = new ArrayList<>(List.of(this));
    }

    private static final AtomicLong SEQUENCES = new AtomicLong();

    OutboxEvent next() {
        values.onlyStorable(!values.oneIn(4));
        boolean numbered = values.oneIn(20);
        OutboxEvent event = OutboxEvent.of(numbered ? "numbered" : aggregate("order"), aggregate("o"), payload());
        boolean named = event.payload() instanceof Odd || event.payload() instanceof Raw;
        if (!named || values.oneIn(10)) {
            event = event.withEventType(
                    values.oneIn(30) ? values.text() : "Odd" + values.random().nextInt(5));
        }
        if (values.oneIn(10)) {
            event = event.inStream(values.oneIn(2) ? ODD_STREAM : values.text());
        }
        if (values.oneIn(4)) {
            event = event.occurredAt(values.instant());
        }
        if (numbered) {
            event = event.withSequence(
                    values.oneIn(2)
                            ? SEQUENCES.getAndIncrement()
                            : values.oneOf(List.of(-1L, (1L << 62) + 1, Long.MAX_VALUE, Long.MIN_VALUE)));
        }
        if (values.oneIn(20)) {
            event = event.withEventId(
                    values.oneIn(2) ? new UUID(0, values.random().nextInt(5)) : UUID.randomUUID());
        }
        return withHeaders(event);
    }

    private String aggregate(String usual) {
        return values.oneIn(20) ? values.text() : usual + values.random().nextInt(9);
    }

    private OutboxEvent withHeaders(OutboxEvent event) {
        OutboxEvent all = event;
        int count = values.oneIn(300) ? 1000 : values.oneIn(3) ? values.random().nextInt(4) : 0;
        for (int i = 0; i < count; i++) {
            String name = count == 1000 ? "header " + i : values.text();
            all = all.withHeader(
                    values.oneIn(200 + count) ? null : name, values.oneIn(200 + count) ? null : values.name());
        }
        if (values.oneIn(1000)) {
            all = all.withHeader("n".repeat(values.oneOf(List.of(255, 256, 50_001))), "v");
        }
        return values.oneIn(1000) ? all.withHeader("large", "v".repeat(LARGEST_PAYLOAD)) : all;
    }

    private Object payload() {
        int kind = values.random().nextInt(100);
        if (kind < 45) {
            return odd();
        }
        if (kind < 70) {
            return values.map(3);
        }
        if (kind < 80) {
            return values.value(2);
        }
        if (kind < 90) {
            return new Raw(values.almostJson());
        }
        return switch (kind) {
            case 90 -> null;
            case 91 -> new Failing(values.text());
            case 92 -> new Cyclic();
            case 93 -> Map.of("nested", values.nested());
            case 94 -> sized();
            case 95 -> new Raw("[".repeat(values.random().nextInt(20_000)));
            case 96 -> nestedText();
            case 97 -> Map.of("k".repeat(values.oneOf(List.of(49_999, 50_000, 50_001))), 1);
            case 98 -> new HashMap<>(Map.of(values.number(), values.text()));
            default -> values.text().getBytes(StandardCharsets.UTF_16BE);
        };
    }

    private Raw nestedText() {
        int depth = values.oneOf(List.of(10, 400, 498, 499, 500, 501, 1001, 9000));
        return new Raw("[".repeat(depth) + "]".repeat(depth));
    }

    private Map<String, String> sized() {
        String unit = values.oneOf(List.of("x", "\u00e9", "\u20ac", "\uD83D\uDE00"));
        int bytes = unit.getBytes(StandardCharsets.UTF_8).length;
        int frame = "{\"text\":\"\"}".length();
        return Map.of(
                "text",
                unit.repeat((LARGEST_PAYLOAD - frame) / bytes + values.random().nextInt(3) - 1));
    }

    private Odd odd() {
        Number number = values.number();
        return new Odd(
                values.text(),
                number.doubleValue(),
                number instanceof BigDecimal decimal ? decimal : BigDecimal.ONE,
                values.list(2),
                values.map(1));
    }
}
