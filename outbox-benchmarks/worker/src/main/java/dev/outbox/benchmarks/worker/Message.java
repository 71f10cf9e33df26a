package dev.outbox.benchmarks.worker;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A command to a worker, or its answer, as one line of text.
 *
 * @param verb what to do, or how it went
 * @param values what with, or what came of it
 */
public record Message(String verb, Map<String, String> values) {

    /** The verb of an answer to a command that was carried out. */
    public static final String DONE = "done";

    /** The verb of an answer to a command that failed. */
    public static final String FAILED = "failed";

    /** Checks the verb and keeps the order of the values. */
    public Message {
        if (verb.isEmpty()) {
            throw new IllegalArgumentException("verb must not be empty");
        }
        values = new LinkedHashMap<>(values);
    }

    /**
     * Reads a line.
     *
     * @param line the line
     * @return the message
     */
    public static Message decode(String line) {
        String[] parts = line.split("\t", -1);
        Map<String, String> values = new LinkedHashMap<>();
        for (int part = 1; part < parts.length; part++) {
            int equals = parts[part].indexOf('=');
            values.put(text(parts[part].substring(0, equals)), text(parts[part].substring(equals + 1)));
        }
        return new Message(parts[0], values);
    }

    /**
     * Writes the message.
     *
     * @return one line
     */
    public String encode() {
        return values.entrySet().stream()
                .map((value) -> "\t" + code(value.getKey()) + "=" + code(value.getValue()))
                .collect(Collectors.joining("", verb, ""));
    }

    /**
     * Returns a value.
     *
     * @param name its name
     * @return the value
     * @throws IllegalArgumentException if there is none
     */
    public String get(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + verb + "' needs " + name + ", but has only " + values.keySet());
        }
        return value;
    }

    /**
     * Returns a value as a number.
     *
     * @param name its name
     * @return the value
     */
    public int number(String name) {
        return Integer.parseInt(get(name));
    }

    /**
     * Returns a value as a long number.
     *
     * @param name its name
     * @return the value
     */
    public long longNumber(String name) {
        return Long.parseLong(get(name));
    }

    /**
     * Returns a value as a flag.
     *
     * @param name its name
     * @return the value
     */
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
