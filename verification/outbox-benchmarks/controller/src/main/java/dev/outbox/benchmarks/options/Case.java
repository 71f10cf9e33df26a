package dev.outbox.benchmarks.options;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Parameters of a workload: one value of each of its options.
 *
 * @param values the values by the names of the options
 */
public record Case(Map<String, String> values) {

    /** Returns a parameter. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("there is no parameter " + name + ", only " + values.keySet());
        }
        return value;
    }

    /** Returns a parameter that is a number. */
    public int number(String name) {
        return Options.parse(name, text(name));
    }

    Case with(String name, String value) {
        Map<String, String> changed = new LinkedHashMap<>(values);
        changed.put(name, value);
        return new Case(changed);
    }
}
