package dev.outbox.spring.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
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
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Reports properties below {@code outbox} that do not exist, with the most similar name that does. Reports an environment variable or system
 * property only if it is very similar to a known name, because platforms set variables that begin with the name of a service.
 */
final class UnknownProperties {

    private static final Logger log = LoggerFactory.getLogger(UnknownProperties.class);

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("outbox");
    private static final ConfigurationPropertyName STREAMS = ConfigurationPropertyName.of("outbox.streams");
    private static final ConfigurationPropertyName HANDLERS = ConfigurationPropertyName.of("outbox.handlers");

    private static final List<Module> MODULES = List.of(
            new Module("forwarding", "dev.outbox.forwarding.autoconfigure.OutboxForwardingProperties"),
            new Module("kafka", "dev.outbox.kafka.autoconfigure.OutboxKafkaProperties"),
            new Module(
                    ROOT.append("rabbit"),
                    "dev.outbox.messaging.autoconfigure.OutboxRabbitProperties",
                    "outbox-messaging"),
            new Module(
                    ROOT.append("channel"),
                    "dev.outbox.messaging.autoconfigure.OutboxChannelProperties",
                    "outbox-messaging"),
            new Module("modulith", "dev.outbox.modulith.autoconfigure.OutboxModulithProperties"),
            new Module("console", "dev.outbox.console.autoconfigure.OutboxConsoleProperties"));

    private static final int LARGEST_DISTANCE_OF_VARIABLES = 2;

    private final Environment environment;
    private final ListableBeanFactory beanFactory;

    UnknownProperties(Environment environment, ListableBeanFactory beanFactory) {
        this.environment = environment;
        this.beanFactory = beanFactory;
    }

    private record Suggestion(String name, int distance) {}

    /** Module with properties of its own, and the class that binds them. */
    private record Module(ConfigurationPropertyName prefix, String properties, String artifact) {

        Module(String name, String properties) {
            this(ROOT.append(name), properties, "outbox-" + name);
        }

        boolean isPresent() {
            return ClassUtils.isPresent(properties, UnknownProperties.class.getClassLoader());
        }
    }

    /** Keys below the root; those of the entries of maps, whose names the application chooses; and prefixes below which all names are known. */
    private record Known(
            Set<String> keys,
            Map<ConfigurationPropertyName, Set<String>> maps,
            Set<ConfigurationPropertyName> prefixes) {

        Known() {
            this(new TreeSet<>(), new TreeMap<>(), new TreeSet<>());
        }

        /** Reads the keys of a properties record. */
        void add(String prefix, Class<?> type) {
            for (RecordComponent component : type.getRecordComponents()) {
                String key = prefix + keyOf(component, type);
                Class<?> entry = component.getType() == Map.class
                        ? ResolvableType.forType(component.getGenericType()).resolveGeneric(1)
                        : null;
                if (component.getType().isRecord()) {
                    add(key + ".", component.getType());
                } else if (entry != null && entry.isRecord()) {
                    Known entries = new Known();
                    entries.add("", entry);
                    maps.put(ROOT.append(key), entries.keys());
                } else {
                    keys.add(key);
                    if (entry != null) {
                        prefixes.add(ROOT.append(key));
                    }
                }
            }
        }
    }

    /** Writes one warning for each unknown property. */
    void report() {
        lines().forEach(log::warn);
    }

    /** Returns a line for each unknown property; none if the start failed before the properties were known. */
    List<String> lines() {
        Known known = known();
        if (known.keys().isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        Map<ConfigurationPropertyName, ConfigurationPropertySource> unknown = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter((name) -> ROOT.isAncestorOf(name) && !isKnown(name, source, known))
                        .forEach((name) -> unknown.putIfAbsent(name, source));
            }
        }
        for (Module module : MODULES) {
            if (!module.isPresent()) {
                unknown.entrySet().stream()
                        .filter((property) -> module.prefix().isAncestorOf(property.getKey()))
                        .filter((property) -> !isVariable(property.getValue()))
                        .findFirst()
                        .ifPresent((first) -> lines.add("Property " + first.getKey()
                                + " has no effect without its module: add dev.outbox:" + module.artifact()
                                + origin(first.getKey(), first.getValue())));
                unknown.keySet().removeIf(module.prefix()::isAncestorOf);
            }
        }
        unknown.forEach((name, source) -> {
            boolean variable = isVariable(source);
            String suggestion = suggestion(name, known, variable);
            if (!suggestion.isEmpty() || !variable) {
                lines.add("Property " + name + " is unknown and has no effect" + suggestion + origin(name, source));
            }
        });
        return lines;
    }

    private Known known() {
        Known known = new Known();
        // Creates no bean, because the start may have failed.
        for (String bean : beanFactory.getBeanDefinitionNames()) {
            ConfigurationProperties annotation =
                    beanFactory.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            Class<?> type = beanFactory.getType(bean, false);
            String prefix = annotation == null ? "" : annotation.prefix();
            if (type != null && isOwn(type)) {
                known.add((prefix + ".").substring((ROOT + ".").length()), type);
            } else if ((prefix + ".").startsWith(ROOT + ".")) {
                known.prefixes().add(ConfigurationPropertyName.of(prefix));
            }
        }
        return known;
    }

    /** The classes of an application have any form, so that all names below their prefix are known. */
    private static boolean isOwn(Class<?> type) {
        return type == OutboxProperties.class
                || MODULES.stream().anyMatch((module) -> module.properties().equals(type.getName()));
    }

    private static boolean isKnown(ConfigurationPropertyName name, ConfigurationPropertySource source, Known known) {
        for (Map.Entry<ConfigurationPropertyName, Set<String>> map :
                known.maps().entrySet()) {
            if (map.getKey().equals(name) || map.getKey().isAncestorOf(name)) {
                int key = map.getKey().getNumberOfElements() + 1;
                // A stream exists as soon as it is named.
                return name.getNumberOfElements() <= key || isKey(joined(name, key), map.getValue(), source);
            }
        }
        return known.prefixes().stream().anyMatch((other) -> other.equals(name) || other.isAncestorOf(name))
                || isKey(joined(name, 1), known.keys(), source);
    }

    /** Environment variables have underscores instead of dots, and sometimes instead of dashes. */
    private static boolean isKey(String key, Set<String> keys, ConfigurationPropertySource source) {
        boolean variable = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        UnaryOperator<String> form = (text) -> variable ? uniform(text) : text.replace("-", "");
        return keys.stream().map(form).anyMatch(form.apply(key)::equals);
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

    private static String keyOf(RecordComponent component, Class<?> type) {
        try {
            Name own = type.getDeclaredField(component.getName()).getAnnotation(Name.class);
            return own != null ? own.value() : DataObjectPropertyName.toDashedForm(component.getName());
        } catch (NoSuchFieldException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static boolean isVariable(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && (underlying instanceof SystemEnvironmentPropertySource
                        || underlying.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
    }

    private static String origin(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        Origin origin = property == null ? null : property.getOrigin();
        return origin == null ? "" : " (" + origin + ")";
    }

    private static String suggestion(ConfigurationPropertyName name, Known known, boolean variable) {
        String key = name.getLastElement(Form.DASHED);
        String ofPoller = "poller." + key;
        if (HANDLERS.isAncestorOf(name)
                && known.keys().contains(ofPoller)
                && known.maps().getOrDefault(STREAMS, Set.of()).contains(key)) {
            return "; streams have such a setting, not handlers: did you mean outbox." + ofPoller + "?";
        }
        String text = uniform(name.toString());
        return candidates(name, known)
                .map((one) -> new Suggestion(one, EditDistance.between(text, uniform(one))))
                .min(Comparator.comparingInt(Suggestion::distance))
                .filter((found) -> found.distance()
                        <= (variable
                                ? LARGEST_DISTANCE_OF_VARIABLES
                                : uniform(chosen(name, known)).length() / 3))
                .map((found) -> "; did you mean " + found.name() + "?")
                .orElse("");
    }

    /** Returns the part of a name that the user wrote: of an entry of a map, what follows the name of the map. */
    private static String chosen(ConfigurationPropertyName name, Known known) {
        return known.maps().keySet().stream()
                .filter((map) -> map.isAncestorOf(name))
                .map((map) -> elements(name, map.getNumberOfElements(), name.getNumberOfElements(), Form.UNIFORM))
                .findFirst()
                .orElse(name.toString());
    }

    /**
     * Names that exist, those of the entries of maps with each id that the name may contain: one with dots needs brackets. An entry of one map
     * says nothing of those of another.
     */
    private static Stream<String> candidates(ConfigurationPropertyName name, Known known) {
        boolean inMap = known.maps().keySet().stream().anyMatch((map) -> map.isAncestorOf(name));
        Stream<String> entries = known.maps().entrySet().stream()
                .filter((map) -> !inMap || map.getKey().isAncestorOf(name))
                .flatMap((map) -> {
                    int id = map.getKey().getNumberOfElements();
                    return IntStream.rangeClosed(id + 1, name.getNumberOfElements())
                            .mapToObj((end) ->
                                    PropertyRule.key(map.getKey().toString(), elements(name, id, end, Form.ORIGINAL)))
                            .flatMap((entry) -> map.getValue().stream().map((key) -> entry + "." + key));
                });
        return Stream.concat(known.keys().stream().map((key) -> ROOT + "." + key), entries);
    }

    private static String uniform(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }
}
