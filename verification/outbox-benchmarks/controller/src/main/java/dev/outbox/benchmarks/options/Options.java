package dev.outbox.benchmarks.options;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * Options of a benchmark: the properties with the prefix {@code benchmark.}. An unknown one is an error, because a
 * misspelt option would measure something else.
 */
public final class Options {

    private static final String PREFIX = "benchmark.";

    private final Map<String, String> given = new TreeMap<>();
    private final Set<String> known = new HashSet<>();

    /** Reads the options from properties. */
    public Options(Properties properties) {
        properties.stringPropertyNames().stream()
                .filter((name) -> name.startsWith(PREFIX))
                .forEach((name) -> given.put(name.substring(PREFIX.length()), properties.getProperty(name)));
    }

    /** Returns the given options by name, without prefix. */
    public Map<String, String> given() {
        return given;
    }

    /** Returns the text of an option, or the default. */
    public String text(String name, String otherwise) {
        known.add(name);
        String value = given.get(name);
        return value == null || value.isBlank() ? otherwise : value;
    }

    /** Returns the number of an option, or the default. */
    public int number(String name, int otherwise) {
        return parse(name, text(name, Integer.toString(otherwise)));
    }

    /** Returns the comma-separated texts of an option, or those of the default. */
    public List<String> texts(String name, String otherwise) {
        return Arrays.stream(text(name, otherwise).split(","))
                .map(String::strip)
                .toList();
    }

    /**
     * Returns the cases of options with their defaults. The first value of each option makes the base case; each further
     * value adds one case that differs in that value alone.
     */
    public List<Case> cases(String prefix, Map<String, String> defaults) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        defaults.forEach((name, otherwise) -> values.put(name, texts(prefix + name, otherwise)));
        Map<String, String> first = new LinkedHashMap<>();
        values.forEach((name, ofOption) -> first.put(name, ofOption.get(0)));
        Case base = new Case(first);
        List<Case> cases = new ArrayList<>(List.of(base));
        values.forEach(
                (name, ofOption) -> ofOption.stream().skip(1).forEach((value) -> cases.add(base.with(name, value))));
        return cases;
    }

    /** Returns options with their defaults, given as {@code name=values} and separated by spaces. */
    public static Map<String, String> defaults(String text) {
        Map<String, String> defaults = new LinkedHashMap<>();
        for (String option : text.split(" ", -1)) {
            int equals = option.indexOf('=');
            defaults.put(option.substring(0, equals), option.substring(equals + 1));
        }
        return defaults;
    }

    /** Returns the options with a prefix, such as the server's settings. */
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

    /** Rejects options that no chosen workload uses. */
    public void checkAllAreKnown() {
        Set<String> unknown = new HashSet<>(given.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("the chosen workloads have no option " + unknown + "; their options are "
                    + known.stream().sorted().toList());
        }
    }

    static int parse(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException ex) {
            throw new IllegalArgumentException(PREFIX + name + " must be a number: " + text, ex);
        }
    }
}
