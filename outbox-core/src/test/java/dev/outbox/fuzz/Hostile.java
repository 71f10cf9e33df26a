package dev.outbox.fuzz;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Values that break careless programs, from a seeded generator. */
final class Hostile {

    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "\0",
            "a\0b",
            "\uD800",
            "\uDC00\uD800",
            "x\uDBFF",
            "\uD83D\uDE00",
            "\uFFFE\uFFFF\uFEFF",
            "\u202Ekcab\u2066",
            "e\u0301\u0301\u0301",
            "\u0001\u0008\u001B[31m\u007F\u0085\u2028",
            "line\r\nanother line\tend",
            "'; DROP TABLE events.outbox; --",
            "\" OR \"\"=\"",
            "$$; DROP SCHEMA events CASCADE; $$",
            "{schema} {envelope} {moved} ${schema}",
            "? ?::text :name %s %n {}",
            "\\u0000 \\x00 \\ \\\\ '",
            "{a,b,\"c\",NULL}",
            "[1,2)",
            "NULL",
            "null",
            "NaN",
            "-Infinity",
            "1e999999",
            "E'\\'' || U&'\\0000'",
            "${jndi:ldap://localhost/a}",
            "<script>alert(1)</script>",
            "../../etc/passwd",
            "java.lang.ProcessBuilder",
            "@class",
            "__proto__",
            "İstanbul ß ſ K");

    private static final List<Number> NUMBERS = List.of(
            0,
            -0.0,
            -0.0f,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Float.NaN,
            Double.MAX_VALUE,
            -Double.MAX_VALUE,
            Double.MIN_VALUE,
            Double.MIN_NORMAL,
            Float.MIN_VALUE,
            Float.MAX_VALUE,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            Integer.MIN_VALUE,
            0.1 + 0.2,
            new BigDecimal("0.10"),
            new BigDecimal("-0.000"),
            new BigDecimal("1E+300"),
            new BigDecimal("1E-300"),
            new BigDecimal("123456789012345678901234567890.123456789012345678901234567890"),
            new BigDecimal("1E+5000"),
            new BigDecimal("1E-5000"),
            new BigDecimal("9.99E+999"),
            new BigDecimal("1E+999999999"),
            BigInteger.TEN.pow(998),
            BigInteger.TEN.pow(999),
            BigInteger.TEN.pow(1000),
            BigInteger.TWO.pow(64));

    private static final List<Instant> INSTANTS = List.of(
            Instant.MIN,
            Instant.MAX,
            Instant.EPOCH,
            Instant.parse("0001-01-01T00:00:00Z"),
            Instant.parse("0000-12-31T23:59:59.999999999Z"),
            Instant.parse("9999-12-31T23:59:59.999999999Z"),
            Instant.parse("+10000-01-01T00:00:00Z"),
            Instant.parse("-4713-11-24T00:00:00Z"),
            Instant.parse("+294276-12-31T23:59:59Z"),
            Instant.parse("1883-11-18T12:03:58Z"),
            Instant.parse("2016-12-31T23:59:59.999999999Z"),
            Instant.parse("1969-12-31T23:59:59.999999Z"),
            Instant.ofEpochSecond(Long.MAX_VALUE / 1_000_000_000_000L));

    private final Random random;
    private boolean storable;

    Hostile(Random random) {
        this.random = random;
    }

    /** Whether to make only what PostgreSQL stores, so that other rules come into play as well. */
    void onlyStorable(boolean only) {
        storable = only;
    }

    Random random() {
        return random;
    }

    boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    String text() {
        String text = anyText();
        return storable
                ? text.codePoints()
                        .filter(Hostile::isStorable)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString()
                : text;
    }

    private static boolean isStorable(int point) {
        return point != 0 && Character.getType(point) != Character.SURROGATE;
    }

    private String anyText() {
        return switch (random.nextInt(8)) {
            case 0 -> characters(random.nextInt(12), 0x110000);
            case 1 -> characters(random.nextInt(40), 0x80);
            case 2 -> oneOf(TEXTS) + oneOf(TEXTS);
            case 3 -> oneOf(TEXTS).repeat(random.nextInt(4));
            case 4 -> (oneIn(2) ? "x" : "\uD83D\uDE00").repeat(random.nextInt(300));
            default -> oneOf(TEXTS);
        };
    }

    /** A text that every rule allows, mostly. */
    String name() {
        return oneIn(3) ? text() : "n" + random.nextInt(50) + characters(random.nextInt(6), 0x250);
    }

    private String characters(int count, int bound) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.appendCodePoint(random.nextInt(bound));
        }
        return text.toString();
    }

    Number number() {
        Number number = anyNumber();
        boolean huge = number instanceof BigDecimal decimal && Math.abs((long) decimal.scale()) > 900
                || number instanceof BigInteger integer && integer.bitLength() > 3000;
        return storable && huge ? random.nextInt() : number;
    }

    private Number anyNumber() {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong();
            case 1 -> Double.longBitsToDouble(random.nextLong());
            case 2 -> Float.intBitsToFloat(random.nextInt());
            case 3 -> new BigDecimal(new BigInteger(random.nextInt(200), random), random.nextInt(2400) - 1200);
            default -> oneOf(NUMBERS);
        };
    }

    Instant instant() {
        return oneIn(3) ? Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)) : oneOf(INSTANTS);
    }

    /** Anything that Jackson writes, a few levels deep. */
    Object value(int depth) {
        int kind = random.nextInt(depth <= 0 ? 6 : 8);
        return switch (kind) {
            case 0, 1 -> text();
            case 2, 3 -> number();
            case 4 -> random.nextBoolean();
            case 5 -> oneOf(List.of(List.of(), Map.of(), "", 0));
            case 6 -> list(depth - 1);
            default -> map(depth - 1);
        };
    }

    List<Object> list(int depth) {
        List<Object> values = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.add(oneIn(8) ? null : value(depth));
        }
        return values;
    }

    Map<String, Object> map(int depth) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            values.put(text(), oneIn(8) ? null : value(depth));
        }
        return values;
    }

    /** Lists in lists; around the depth at which JSON libraries stop. */
    Object nested() {
        Object value = "x";
        int depth = oneIn(2) ? 490 + random.nextInt(20) : random.nextInt(3000);
        for (int i = 0; i < depth; i++) {
            value = i % 2 == 0 ? List.of(value) : Map.of("k", value);
        }
        return value;
    }

    /** Text that looks like JSON, and mostly is none. */
    String almostJson() {
        StringBuilder json = new StringBuilder();
        String printable =
                "{ } [ ] , : \" \"a\" \"a\": 1 - . e E+ 01 1. tru true null NaN -Infinity \\ \\u \\u00 \\uD800 \\uZZZZ"
                        + " \\x ' /* é 1e5 1e-99999 [1,2] {\"b\":[null]}";
        List<String> parts = new ArrayList<>(List.of(printable.split(" ")));
        parts.addAll(List.of("\n", "\t", " ", "\u0001", "\0", "\uD800"));
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            json.append(oneOf(parts));
        }
        return json.toString();
    }
}
