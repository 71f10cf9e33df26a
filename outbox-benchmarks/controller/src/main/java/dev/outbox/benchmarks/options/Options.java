package dev.outbox.benchmarks.options;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * What was asked for: the properties that begin with {@code benchmark.}. One that nobody knows is an error, since a misspelt one
 * would measure something else.
 */
public final class Options {

    private static final String PREFIX = "benchmark.";

    private final Map<String, String> given = new TreeMap<>();
    private final Set<String> known = new HashSet<>();

    /**
     * Takes the options from properties.
     *
     * @param properties such as those of the system
     */
    public Options(Properties properties) {
        properties.stringPropertyNames().stream()
                .filter((name) -> name.startsWith(PREFIX))
                .forEach((name) -> given.put(name.substring(PREFIX.length()), properties.getProperty(name)));
    }

    /**
     * Returns what was given.
     *
     * @return the options by name, without prefix
     */
    public Map<String, String> given() {
        return given;
    }

    /**
     * Returns a text.
     *
     * @param name the option
     * @param otherwise its default
     * @return what was given, or the default
     */
    public String text(String name, String otherwise) {
        known.add(name);
        String value = given.get(name);
        return value == null || value.isBlank() ? otherwise : value;
    }

    /**
     * Returns a number.
     *
     * @param name the option
     * @param otherwise its default
     * @return what was given, or the default
     */
    public int number(String name, int otherwise) {
        return parse(name, text(name, Integer.toString(otherwise)));
    }

    /**
     * Returns texts that are separated by commas.
     *
     * @param name the option
     * @param otherwise the default
     * @return what was given, or the default
     */
    public List<String> texts(String name, String otherwise) {
        return Arrays.stream(text(name, otherwise).split(","))
                .map(String::strip)
                .toList();
    }

    /**
     * Returns numbers that are separated by commas.
     *
     * @param name the option
     * @param otherwise the default
     * @return what was given, or the default
     */
    public List<Integer> numbers(String name, String otherwise) {
        return texts(name, otherwise).stream().map((text) -> parse(name, text)).toList();
    }

    /**
     * Returns the options of a group, such as the server's settings.
     *
     * @param prefix what their names begin with, with a dot at its end
     * @return the values by the rest of their names
     */
    public Map<String, String> group(String prefix) {
        Map<String, String> group = new TreeMap<>();
        given.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                known.add(name);
                group.put(name.substring(prefix.length()), value);
            }
        });
        return group;
    }

    /**
     * Complains of options that nobody has asked for.
     *
     * @throws IllegalArgumentException if there is one
     */
    public void checkAllAreKnown() {
        Set<String> unknown = new HashSet<>(given.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("no workload that was chosen knows " + unknown + "; known are "
                    + known.stream().sorted().toList());
        }
    }

    private static int parse(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException ex) {
            throw new IllegalArgumentException(PREFIX + name + " must be a number: " + text, ex);
        }
    }
}
