package dev.outbox.kafka.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.kafka.internal.forwarder.Route;
import dev.outbox.kafka.internal.forwarder.Routes;
import dev.outbox.kafka.internal.forwarder.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/** Converts the properties of the routes, and names the property that breaks a rule. */
final class ConfiguredRoutes {

    static final String PREFIX = "outbox.kafka.routes";

    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    private final Set<String> streams;

    private ConfiguredRoutes(Set<String> streams) {
        this.streams = streams;
    }

    /** Converts the routes of an application that has these streams. */
    static Routes of(Map<String, OutboxKafkaProperties.Route> routes, Set<String> streams) {
        ConfiguredRoutes configured = new ConfiguredRoutes(streams);
        List<Route> all = new ArrayList<>();
        new TreeMap<>(routes).forEach((name, route) -> all.add(configured.route(name, route)));
        return new Routes(all);
    }

    private Route route(String name, OutboxKafkaProperties.Route route) {
        String prefix = PREFIX + "." + name;
        List<String> headers = route.headers();
        return new Route(
                name,
                selector(prefix, route),
                topic(prefix, route.topic()),
                new Route.Format(route.key(), headers == null ? null : Set.copyOf(headers)),
                route.forwardReceived());
    }

    private Selector selector(String prefix, OutboxKafkaProperties.Route route) {
        Selector selector = new Selector(
                new HashSet<>(route.eventTypes()),
                new HashSet<>(route.aggregateTypes()),
                new HashSet<>(route.streams()));
        if (selector.toString().isEmpty()) {
            throw new OutboxConfigurationException("set " + prefix + ".event-types, " + prefix + ".aggregate-types or "
                    + prefix + ".streams, which select the events of the route");
        }
        if (!streams.containsAll(selector.streams())) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".streams", route.streams(), "there are only the streams " + new TreeSet<>(streams));
        }
        return selector;
    }

    private static String topic(String prefix, @Nullable String topic) {
        if (!StringUtils.hasText(topic)) {
            throw new OutboxConfigurationException(prefix + ".topic is not set; name the topic of the route");
        }
        if (!TOPIC.matcher(topic).matches()) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".topic", topic, "a topic has 1 to 249 letters, digits, dots, underscores and dashes");
        }
        return topic;
    }

    /** Returns the source of forwarded events, which no renamed application may change by accident. */
    static String source(@Nullable String source, @Nullable String applicationName) {
        if (StringUtils.hasText(source)) {
            return source;
        }
        throw new OutboxConfigurationException("outbox.kafka.source is not set; it names this service to the consumers"
                + " of its events, in every process and release. Set it, for example to /"
                + (StringUtils.hasText(applicationName) ? applicationName : "shop"));
    }
}
