package dev.outbox.benchmarks.worker;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Command to a worker, or its answer, as one line of text.
 *
 * @param verb the command, or its result
 * @param values the values by name
 */
public record Message(String verb, Map<String, String> values) {

    /** Verb of the answer to a successful command. */
    public static final String DONE = "done";

    /** Verb of the answer to a failed command. */
    public static final String FAILED = "failed";

    /** Checks the verb and keeps the order of the values. */
    public Message {
        if (verb.isEmpty()) {
            throw new IllegalArgumentException("verb must not be empty");
        }
        values = new LinkedHashMap<>(values);
    }

    /** Returns a message without values. */
    public static Message of(String verb) {
        return new Message(verb, Map.of());
    }

    /** Returns the message with another value. */
    public Message with(String name, Object value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(name, value.toString());
        return new Message(verb, more);
    }

    /** Parses a line. */
    public static Message decode(String line) {
        String[] parts = line.split("\t", -1);
        Map<String, String> values = new LinkedHashMap<>();
        for (int part = 1; part < parts.length; part++) {
            int equals = parts[part].indexOf('=');
            values.put(text(parts[part].substring(0, equals)), text(parts[part].substring(equals + 1)));
        }
        return new Message(parts[0], values);
    }

    /** Returns the message as one line. */
    public String encode() {
        return values.entrySet().stream()
                .map((value) -> "\t" + code(value.getKey()) + "=" + code(value.getValue()))
                .collect(Collectors.joining("", verb, ""));
    }

    /** Returns a value by name, which must exist. */
    public String get(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + verb + "' needs " + name + ", but has only " + values.keySet());
        }
        return value;
    }

    /** Returns a value as a number. */
    public int number(String name) {
        return Integer.parseInt(get(name));
    }

    /** Returns a value as a long number. */
    public long longNumber(String name) {
        return Long.parseLong(get(name));
    }

    /** Returns a value as a flag. */
    public boolean flag(String name) {
        return Boolean.parseBoolean(get(name));
    }

    private static String code(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String text(String code) {
        return URLDecoder.decode(code, StandardCharsets.UTF_8);
    }
}
