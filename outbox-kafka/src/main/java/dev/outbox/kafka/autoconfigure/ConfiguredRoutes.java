package dev.outbox.kafka.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.kafka.internal.forwarder.Route;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/** Checks the properties of the routes, and names the property that breaks a rule. */
final class ConfiguredRoutes {

    static final String PREFIX = "outbox.kafka.routes";

    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    private ConfiguredRoutes() {}

    /** Returns the routes of an application with these streams. */
    static Map<String, Route> of(Map<String, Route> routes, Set<String> streams) {
        routes.forEach((name, route) -> check(name, route, streams));
        return routes;
    }

    /** Returns the exception for a route without selection, or without any known property. */
    static OutboxConfigurationException withoutSelection(String name) {
        String prefix = PREFIX + "." + name;
        return new OutboxConfigurationException(prefix + " selects no events; set " + prefix + ".event-types, " + prefix
                + ".aggregate-types or " + prefix + ".streams");
    }

    private static void check(String name, Route route, Set<String> streams) {
        String prefix = PREFIX + "." + name;
        if (route.eventTypes().isEmpty()
                && route.aggregateTypes().isEmpty()
                && route.streams().isEmpty()) {
            throw withoutSelection(name);
        }
        if (!streams.containsAll(route.streams())) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".streams", route.streams(), "there are only the streams " + new TreeSet<>(streams));
        }
        if (route.topic().isBlank()) {
            throw new OutboxConfigurationException(prefix + ".topic is not set; name the topic of the route");
        }
        if (!TOPIC.matcher(route.topic().replace(Route.AGGREGATE_TYPE, "")).matches()
                && !route.topic().equals(Route.AGGREGATE_TYPE)) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".topic",
                    route.topic(),
                    "a topic has 1 to 249 letters, digits, dots, underscores and dashes, or " + Route.AGGREGATE_TYPE);
        }
    }

    /** Returns the source of forwarded events, which no renamed application may change by accident. */
    static String source(@Nullable String source, @Nullable String applicationName) {
        if (StringUtils.hasText(source)) {
            if (!isUriReference(source)) {
                throw new InvalidConfigurationPropertyValueException(
                        "outbox.forwarding.source",
                        source,
                        "CloudEvents requires a URI reference, such as /shop or urn:example:shop");
            }
            return source;
        }
        throw new OutboxConfigurationException(
                "outbox.forwarding.source is not set; it names this service to the consumers"
                        + " of its events, in every process and release. Set it, for example to /"
                        + (StringUtils.hasText(applicationName) ? applicationName : "shop"));
    }

    private static boolean isUriReference(String text) {
        try {
            return new URI(text).toASCIIString().equals(text);
        } catch (URISyntaxException ex) {
            return false;
        }
    }
}
