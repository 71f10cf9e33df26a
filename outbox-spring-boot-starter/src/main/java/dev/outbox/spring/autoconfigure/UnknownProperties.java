package dev.outbox.spring.autoconfigure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
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

/**
 * Reports properties below {@code outbox} that do not exist, with the most similar name that does. Reports an environment variable or system
 * property only if it is very similar to a known name, because platforms set variables that begin with the name of a service.
 */
final class UnknownProperties {

    private static final Logger log = LoggerFactory.getLogger(UnknownProperties.class);

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("outbox");
    private static final PropertyKeys KEYS = PropertyKeys.of("outbox", OutboxProperties.class);
    private static final List<PropertyKeys> MAPS = List.of(DottedIds.HANDLERS, DottedIds.STREAMS);
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
                        .filter(ROOT::isAncestorOf)
                        .filter((name) ->
                                others.stream().noneMatch((other) -> other.equals(name) || other.isAncestorOf(name)))
                        .filter((name) -> !isKnown(name, source))
                        .forEach((name) -> unknown.putIfAbsent(name, source));
            }
        }
        unknown.forEach(this::report);
    }

    private void report(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        Optional<Suggestion> nearest = nearest(name);
        boolean variable = isProcessWide(source);
        int largest = variable
                ? LARGEST_DISTANCE_OF_VARIABLES
                : uniform(name.toString()).length() / 3;
        Optional<String> suggestion =
                nearest.filter((found) -> found.distance() <= largest).map(Suggestion::name);
        if (suggestion.isPresent() || !variable) {
            log.warn(
                    "Property {} is unknown and has no effect{}{}",
                    name,
                    suggestion.map((known) -> "; did you mean " + known + "?").orElse(""),
                    origin(name, source));
        }
    }

    private static boolean isProcessWide(ConfigurationPropertySource source) {
        return PropertyKeys.isSystemEnvironment(source)
                || (source.getUnderlyingSource() instanceof PropertySource<?> underlying
                        && underlying.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
    }

    private static String origin(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        Origin origin = property == null ? null : property.getOrigin();
        return origin == null ? "" : " (" + origin + ")";
    }

    private static boolean isKnown(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        for (PropertyKeys map : MAPS) {
            if (map.prefix().equals(name) || map.prefix().isAncestorOf(name)) {
                // A stream exists as soon as it is named.
                return map.entryOf(name, source).isPresent()
                        || name.getNumberOfElements() <= map.prefix().getNumberOfElements() + 1;
            }
        }
        return KEYS.contains(name, source);
    }

    private List<ConfigurationPropertyName> prefixesOfOtherModules() {
        List<ConfigurationPropertyName> prefixes = new ArrayList<>();
        for (String bean : beanFactory.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
            ConfigurationProperties annotation =
                    beanFactory.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            String prefix = annotation == null ? "" : annotation.prefix();
            if (prefix.startsWith(ROOT + ".")) {
                prefixes.add(ConfigurationPropertyName.of(prefix));
            }
        }
        return prefixes;
    }

    private static Optional<Suggestion> nearest(ConfigurationPropertyName name) {
        List<String> candidates = new ArrayList<>();
        KEYS.names().forEach((key) -> candidates.add(ROOT + "." + key));
        int elements = name.getNumberOfElements();
        for (PropertyKeys map : MAPS) {
            for (int end = 3; end <= elements; end++) {
                String id = String.join(".", PropertyKeys.elements(name, 2, end, Form.ORIGINAL));
                map.names()
                        .forEach((key) ->
                                candidates.add(PropertyRule.key(map.prefix().toString(), id) + "." + key));
            }
        }
        return candidates.stream()
                .map((candidate) -> new Suggestion(candidate, distance(uniform(name.toString()), uniform(candidate))))
                .min(Comparator.comparingInt(Suggestion::distance));
    }

    private static String uniform(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }

    /** Edit distance: the number of characters to insert, remove or replace. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
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
