package dev.outbox.spring.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Reports properties below {@code outbox} that do not exist, with the most similar name that does. Reports an environment variable or system
 * property only if it is very similar to a known name, because platforms set variables that begin with the name of a service.
 */
final class UnknownProperties {

    private static final Logger log = LoggerFactory.getLogger(UnknownProperties.class);

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("outbox");
    private static final Set<String> KEYS = keys(OutboxProperties.class);

    /** Keys of the entries of a map, whose names the application chooses. */
    private static final Map<ConfigurationPropertyName, Set<String>> MAPS = Map.of(
            ConfigurationPropertyName.of("outbox.handlers"), keys(OutboxProperties.Handler.class),
            ConfigurationPropertyName.of("outbox.streams"), keys(OutboxProperties.Stream.class));

    private static final int LARGEST_DISTANCE_OF_VARIABLES = 2;

    private final Environment environment;
    private final ListableBeanFactory beanFactory;

    UnknownProperties(Environment environment, ListableBeanFactory beanFactory) {
        this.environment = environment;
        this.beanFactory = beanFactory;
    }

    private record Suggestion(String name, int distance) {}

    /** Writes one warning for each unknown property. */
    void report() {
        List<ConfigurationPropertyName> others = prefixesOfOtherModules();
        Map<ConfigurationPropertyName, ConfigurationPropertySource> unknown = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter((name) -> ROOT.isAncestorOf(name) && !isKnown(name, source))
                        .filter((name) ->
                                others.stream().noneMatch((other) -> other.equals(name) || other.isAncestorOf(name)))
                        .forEach((name) -> unknown.putIfAbsent(name, source));
            }
        }
        unknown.forEach(UnknownProperties::report);
    }

    private List<ConfigurationPropertyName> prefixesOfOtherModules() {
        return Arrays.stream(beanFactory.getBeanNamesForAnnotation(ConfigurationProperties.class))
                .map((bean) -> beanFactory.findAnnotationOnBean(bean, ConfigurationProperties.class, false))
                .map((annotation) -> annotation == null ? "" : annotation.prefix())
                .filter((prefix) -> prefix.startsWith(ROOT + "."))
                .map(ConfigurationPropertyName::of)
                .toList();
    }

    private static boolean isKnown(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        for (Map.Entry<ConfigurationPropertyName, Set<String>> map : MAPS.entrySet()) {
            if (map.getKey().equals(name) || map.getKey().isAncestorOf(name)) {
                // A stream exists as soon as it is named.
                return name.getNumberOfElements() <= 3 || isKey(joined(name, 3), map.getValue(), source);
            }
        }
        return isKey(joined(name, 1), KEYS, source);
    }

    /** Environment variables have underscores instead of dots, and sometimes instead of dashes. */
    private static boolean isKey(String key, Set<String> keys, ConfigurationPropertySource source) {
        boolean variable = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        UnaryOperator<String> form = (text) -> variable ? uniform(text) : text.replace("-", "");
        return keys.stream()
                .map(form)
                .anyMatch((known) ->
                        known.equals(form.apply(key)) || form.apply(key).startsWith(known + "."));
    }

    /** Joins the elements from an index on, without the index of a list. */
    private static String joined(ConfigurationPropertyName name, int from) {
        int end = name.getNumberOfElements();
        while (end > from && name.isNumericIndex(end - 1)) {
            end--;
        }
        return elements(name, from, end, Form.UNIFORM);
    }

    private static String elements(ConfigurationPropertyName name, int from, int end, Form form) {
        return IntStream.range(from, end)
                .mapToObj((i) -> name.getElement(i, form))
                .collect(Collectors.joining("."));
    }

    /** Reads the keys of a properties record. Maps are left out, because their entries have their own keys. */
    private static Set<String> keys(Class<?> type) {
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

    private static void report(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        String text = uniform(name.toString());
        boolean variable = source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && (underlying instanceof SystemEnvironmentPropertySource
                        || underlying.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
        String suggestion = candidates(name)
                .map((known) -> new Suggestion(known, EditDistance.between(text, uniform(known))))
                .min(Comparator.comparingInt(Suggestion::distance))
                .filter((found) -> found.distance() <= (variable ? LARGEST_DISTANCE_OF_VARIABLES : text.length() / 3))
                .map((found) -> "; did you mean " + found.name() + "?")
                .orElse("");
        if (!suggestion.isEmpty() || !variable) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            Origin origin = property == null ? null : property.getOrigin();
            log.warn(
                    "Property {} is unknown and has no effect{}{}",
                    name,
                    suggestion,
                    origin == null ? "" : " (" + origin + ")");
        }
    }

    /** Names that exist, those of handlers and streams with each id that the name may contain: one with dots needs brackets. */
    private static Stream<String> candidates(ConfigurationPropertyName name) {
        Stream<String> entries = MAPS.entrySet().stream()
                .flatMap((map) -> IntStream.rangeClosed(3, name.getNumberOfElements())
                        .mapToObj((end) ->
                                PropertyRule.key(map.getKey().toString(), elements(name, 2, end, Form.ORIGINAL)))
                        .flatMap((entry) -> map.getValue().stream().map((key) -> entry + "." + key)));
        return Stream.concat(KEYS.stream().map((key) -> ROOT + "." + key), entries);
    }

    private static String uniform(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }
}
