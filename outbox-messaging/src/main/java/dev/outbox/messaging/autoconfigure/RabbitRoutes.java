package dev.outbox.messaging.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.Broker;
import dev.outbox.forwarding.autoconfigure.RouteHandlers;
import dev.outbox.messaging.internal.rabbit.RabbitMessages;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Routes to RabbitMQ. Each needs an exchange, and all of them a template that learns how each message ended. */
final class RabbitRoutes extends RouteHandlers {

    static final Broker RABBIT = new Broker("rabbit", "RabbitMQ");

    /** Prefix of the properties, for annotations. */
    static final String PREFIX = "outbox.rabbit.routes";

    static final String TEMPLATE = "outbox.rabbit.template";

    RabbitRoutes() {
        super(RABBIT);
    }

    static RabbitMessages messages(String source, String name, OutboxRabbitProperties.Route route) {
        String property = RABBIT.property(name);
        String exchange = route.exchange();
        if (exchange == null) {
            throw new OutboxConfigurationException(
                    property + ".exchange is not set; name the exchange of the route, or '' for the default exchange");
        }
        if (!RabbitMessages.isValidExchange(exchange)) {
            throw new InvalidConfigurationPropertyValueException(
                    property + ".exchange", exchange, "the only placeholder is {aggregateType}");
        }
        if (!RabbitMessages.isValid(route.routingKey())) {
            throw new InvalidConfigurationPropertyValueException(
                    property + ".routing-key",
                    route.routingKey(),
                    "the placeholders are {aggregateId}, {aggregateType} and {eventType}");
        }
        return new RabbitMessages(source, exchange, route.routingKey());
    }

    /** Without confirms, or in a transaction of the channel, nobody tells whether the broker has a message; without returns, whether a queue has it. */
    static void requireOutcomes(RabbitTemplate template) {
        ConnectionFactory connections = template.getConnectionFactory();
        if (template.isChannelTransacted()) {
            throw new OutboxConfigurationException(
                    PREFIX + " needs a RabbitTemplate without transactions; name another one in " + TEMPLATE);
        }
        if (!connections.isPublisherConfirms()) {
            throw new OutboxConfigurationException(
                    PREFIX
                            + " needs publisher confirms with correlation; set spring.rabbitmq.publisher-confirm-type=correlated");
        }
        if (!connections.isPublisherReturns()) {
            throw new OutboxConfigurationException(
                    PREFIX + " needs publisher returns; set spring.rabbitmq.publisher-returns=true");
        }
    }
}
