package dev.outbox.spring.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Keys of a properties record below a prefix, such as {@code batch-size} and {@code retry.max-attempts}. */
final class PropertyKeys {

    private final ConfigurationPropertyName prefix;
    private final SortedSet<String> names;

    private PropertyKeys(ConfigurationPropertyName prefix, SortedSet<String> names) {
        this.prefix = prefix;
        this.names = names;
    }

    /** Reads the keys of a record. Maps are left out, because their entries have their own keys. */
    static PropertyKeys of(String prefix, Class<?> type) {
        SortedSet<String> names = new TreeSet<>();
        add(names, "", type);
        return new PropertyKeys(ConfigurationPropertyName.of(prefix), names);
    }

    private static void add(SortedSet<String> names, String prefix, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + nameOf(component, type);
            if (component.getType().isRecord()) {
                add(names, name + ".", component.getType());
            } else if (component.getType() != Map.class) {
                names.add(name);
            }
        }
    }

    private static String nameOf(RecordComponent component, Class<?> type) {
        try {
            Name own = type.getDeclaredField(component.getName()).getAnnotation(Name.class);
            return own != null ? own.value() : DataObjectPropertyName.toDashedForm(component.getName());
        } catch (NoSuchFieldException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Entry of a map: an id and one of the keys. */
    record Entry(ConfigurationPropertyName name, String id, boolean dotted) {}

    ConfigurationPropertyName prefix() {
        return prefix;
    }

    /** Returns the keys in kebab case. */
    SortedSet<String> names() {
        return names;
    }

    /** Whether a name is a key or the beginning of a key. */
    boolean contains(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        String rest = joined(name, prefix.getNumberOfElements(), source);
        return names.stream()
                .map((key) -> form(key, source))
                .anyMatch((key) -> key.equals(rest) || key.startsWith(rest + "."));
    }

    /** Splits a name into prefix, entry id (with or without dots) and key. Returns empty if it ends with none of the keys. */
    Optional<Entry> entryOf(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        int first = prefix.getNumberOfElements();
        if (!prefix.isAncestorOf(name)) {
            return Optional.empty();
        }
        return IntStream.range(first + 1, name.getNumberOfElements())
                .filter((end) -> hasKey(joined(name, end, source), source))
                .mapToObj((end) -> new Entry(
                        name.chop(end), String.join(".", elements(name, first, end, Form.ORIGINAL)), end - first > 1))
                .findFirst();
    }

    private boolean hasKey(String joined, ConfigurationPropertySource source) {
        return names.stream().anyMatch((key) -> form(key, source).equals(joined));
    }

    private static String joined(ConfigurationPropertyName name, int from, ConfigurationPropertySource source) {
        int end = name.getNumberOfElements();
        while (end > from && name.isNumericIndex(end - 1)) {
            end--;
        }
        return form(String.join(".", elements(name, from, end, Form.UNIFORM)), source);
    }

    /** Environment variables have underscores instead of dots, and sometimes instead of dashes. */
    private static String form(String key, ConfigurationPropertySource source) {
        String uniform = key.replace("-", "");
        return isSystemEnvironment(source) ? uniform.replace(".", "") : uniform;
    }

    static boolean isSystemEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    static List<String> elements(ConfigurationPropertyName name, int from, int end, Form form) {
        List<String> elements = new ArrayList<>();
        for (int i = from; i < end; i++) {
            elements.add(name.getElement(i, form));
        }
        return elements;
    }
}
