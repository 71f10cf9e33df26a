package dev.outbox.spring.autoconfigure;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
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
    private static final Set<String> KEYS = DottedIds.keys(OutboxProperties.class);
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
        for (DottedIds map : DottedIds.MAPS) {
            if (map.prefix().equals(name) || map.prefix().isAncestorOf(name)) {
                // A stream exists as soon as it is named.
                return map.startOfKey(name, source) > 0 || name.getNumberOfElements() <= 3;
            }
        }
        String key = DottedIds.joined(name, 1, source);
        return KEYS.stream()
                .map((known) -> DottedIds.form(known, source))
                .anyMatch((known) -> known.equals(key) || known.startsWith(key + "."));
    }

    private static void report(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        String text = uniform(name.toString());
        boolean variable = source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && (underlying instanceof SystemEnvironmentPropertySource
                        || underlying.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
        String suggestion = candidates(name)
                .map((known) -> new Suggestion(known, distance(text, uniform(known))))
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

    /** Names that exist, those of handlers and streams with each id that the name may contain. */
    private static Stream<String> candidates(ConfigurationPropertyName name) {
        return Stream.concat(
                KEYS.stream().map((key) -> ROOT + "." + key),
                DottedIds.MAPS.stream()
                        .flatMap((map) -> IntStream.rangeClosed(3, name.getNumberOfElements())
                                .mapToObj((end) -> PropertyRule.key(map.prefix().toString(), DottedIds.id(name, end)))
                                .flatMap((entry) -> map.keys().stream().map((key) -> entry + "." + key))));
    }

    private static String uniform(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }

    /** Edit distance: the number of characters to insert, remove or replace. */
    private static int distance(String one, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
