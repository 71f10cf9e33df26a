package dev.outbox.spring.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Binds {@code outbox.handlers.licensing.grant.timeout} to the handler {@code licensing.grant}. Without brackets, Spring Boot would take
 * {@code licensing} for the id and ignore the rest.
 *
 * @param keys keys of an entry in kebab case, such as {@code batch-size} and {@code retry.max-attempts}
 */
record DottedIds(ConfigurationPropertyName prefix, Set<String> keys) {

    private static final Logger log = LoggerFactory.getLogger(DottedIds.class);

    static final DottedIds HANDLERS = of("outbox.handlers", OutboxProperties.Handler.class);
    static final DottedIds STREAMS = of("outbox.streams", OutboxProperties.Stream.class);
    static final List<DottedIds> MAPS = List.of(HANDLERS, STREAMS);

    private static DottedIds of(String prefix, Class<?> type) {
        return new DottedIds(ConfigurationPropertyName.of(prefix), keys(type));
    }

    /** Reads the keys of a properties record. Maps are left out, because their entries have their own keys. */
    static Set<String> keys(Class<?> type) {
        Set<String> keys = new TreeSet<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String key = keyOf(component, type);
            if (component.getType().isRecord()) {
                keys(component.getType()).forEach((nested) -> keys.add(key + "." + nested));
            } else if (component.getType() != Map.class) {
                keys.add(key);
            }
        }
        return keys;
    }

    private static String keyOf(RecordComponent component, Class<?> type) {
        try {
            Name own = type.getDeclaredField(component.getName()).getAnnotation(Name.class);
            return own != null ? own.value() : DataObjectPropertyName.toDashedForm(component.getName());
        } catch (NoSuchFieldException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Adds the entries that have dots in their ids to those that Spring Boot has bound. */
    <T> Map<String, T> bind(Class<T> type, Map<String, T> bound, Environment environment) {
        Map<String, ConfigurationPropertyName> dotted = new HashMap<>();
        Set<String> plain = new HashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream().filter(prefix::isAncestorOf).forEach((name) -> {
                    int end = startOfKey(name, source);
                    if (end == 3) {
                        plain.add(id(name, end));
                    } else if (end > 3) {
                        dotted.putIfAbsent(id(name, end), name.chop(end));
                    }
                });
            }
        }
        Map<String, T> all = new HashMap<>(bound);
        dotted.values().stream()
                .map((name) -> id(name, 3))
                .filter((first) -> !plain.contains(first))
                .forEach(all::remove);
        Binder binder = Binder.get(environment);
        dotted.forEach((id, name) -> {
            if (bound.containsKey(id)) {
                log.warn("{} has no effect, because {}[{}] is also set; write both in brackets", name, prefix, id);
            } else {
                binder.bind(name, Bindable.of(type)).ifBound((entry) -> all.put(id, entry));
            }
        });
        return all;
    }

    /** Returns the index of the element at which the key of an entry begins, behind its id; -1 if the name ends with none of the keys. */
    int startOfKey(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        Set<String> forms = keys.stream().map((key) -> form(key, source)).collect(Collectors.toSet());
        return IntStream.range(3, name.getNumberOfElements())
                .filter((start) -> forms.contains(joined(name, start, source)))
                .findFirst()
                .orElse(-1);
    }

    /** Returns the id between the prefix of two elements and the key. */
    static String id(ConfigurationPropertyName name, int end) {
        return elements(name, 2, end, Form.ORIGINAL);
    }

    /** Joins the elements from an index on, without the index of a list. */
    static String joined(ConfigurationPropertyName name, int from, ConfigurationPropertySource source) {
        int end = name.getNumberOfElements();
        while (end > from && name.isNumericIndex(end - 1)) {
            end--;
        }
        return form(elements(name, from, end, Form.UNIFORM), source);
    }

    /** Environment variables have underscores instead of dots, and sometimes instead of dashes. */
    static String form(String key, ConfigurationPropertySource source) {
        String uniform = key.replace("-", "");
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
                ? uniform.replace(".", "")
                : uniform;
    }

    private static String elements(ConfigurationPropertyName name, int from, int end, Form form) {
        return IntStream.range(from, end)
                .mapToObj((i) -> name.getElement(i, form))
                .collect(Collectors.joining("."));
    }
}
