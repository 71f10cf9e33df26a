package dev.outbox.kafka.autoconfigure;

import dev.outbox.kafka.internal.forwarder.Route;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the Kafka module.
 *
 * @param producer Producer of forwarded events.
 * @param routes Routes by name. Each forwards the events that it selects to a topic.
 * @param inboxes Inboxes by name. Each stores the events of its topics in the outbox.
 */
@ConfigurationProperties(prefix = "outbox.kafka")
public record OutboxKafkaProperties(
        @DefaultValue Producer producer,
        @DefaultValue Map<String, Route> routes,
        @DefaultValue Map<String, InboxSettings> inboxes) {

    /**
     * Producer of forwarded events.
     *
     * @param properties Kafka's properties of the producer. They override those below "spring.kafka".
     */
    public record Producer(@DefaultValue Map<String, String> properties) {}
}
