package dev.outbox.messaging.autoconfigure;

import dev.outbox.forwarding.autoconfigure.RouteSettings;
import dev.outbox.messaging.internal.rabbit.RabbitMessage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the routes to RabbitMQ.
 *
 * @param template Name of the RabbitTemplate bean of all routes. The only or primary one if not set.
 * @param routes Routes by name. Each forwards the events that it selects to an exchange.
 */
@ConfigurationProperties(prefix = "outbox.rabbit")
public record OutboxRabbitProperties(
        @Nullable String template, @DefaultValue Map<String, Route> routes) {

    /**
     * Route: which events go to an exchange, and how. The event types, aggregate types and streams select the events; an event must match each
     * of them that is set.
     *
     * @param eventTypes Event types whose events go to the exchange.
     * @param aggregateTypes Aggregate types whose events go to the exchange.
     * @param streams Streams whose events go to the exchange.
     * @param forwardReceived Whether to forward events that an inbox has received.
     * @param aliases Former names of the route.
     * @param exchange Exchange of the messages. Empty for the default exchange, whose routing keys are names of queues. "{aggregateType}" stands for the aggregate type of the event.
     * @param routingKey Routing key of the messages. "{aggregateId}", "{aggregateType}" and "{eventType}" stand for attributes of the event.
     */
    public record Route(
            @DefaultValue Set<String> eventTypes,
            @DefaultValue Set<String> aggregateTypes,
            @DefaultValue Set<String> streams,
            @DefaultValue("false") boolean forwardReceived,
            @DefaultValue List<String> aliases,
            @Nullable String exchange,
            @DefaultValue("{aggregateId}") String routingKey)
            implements RouteSettings {

        @Override
        public String destination() {
            return RabbitMessage.name(String.valueOf(exchange));
        }
    }
}
