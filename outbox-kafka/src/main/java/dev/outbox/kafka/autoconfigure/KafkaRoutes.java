package dev.outbox.kafka.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.Broker;
import dev.outbox.forwarding.autoconfigure.RouteHandlers;
import dev.outbox.kafka.internal.forwarder.Route;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Routes to Kafka. Each needs a topic. */
final class KafkaRoutes extends RouteHandlers {

    static final Broker KAFKA = new Broker("kafka", "Kafka");

    /** Prefix of the properties, for annotations. */
    static final String PREFIX = "outbox.kafka.routes";

    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    KafkaRoutes() {
        super(KAFKA);
    }

    static void requireTopic(String name, Route route) {
        String property = KAFKA.property(name) + ".topic";
        if (route.topic().isBlank()) {
            throw new OutboxConfigurationException(property + " is not set; name the topic of the route");
        }
        if (!TOPIC.matcher(route.topic().replace(Route.AGGREGATE_TYPE, "")).matches()
                && !route.topic().equals(Route.AGGREGATE_TYPE)) {
            throw new InvalidConfigurationPropertyValueException(
                    property,
                    route.topic(),
                    "a topic has 1 to 249 letters, digits, dots, underscores and dashes, or " + Route.AGGREGATE_TYPE);
        }
    }
}
