package dev.outbox.messaging.internal.rabbit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.forwarding.internal.CloudEvents;
import java.util.Date;
import java.util.function.Function;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;

/** Creates the messages of a route. */
public record RabbitMessages(String source, String exchange, String routingKey)
        implements Function<EventEnvelope, RabbitMessage> {

    /** Of the headers that are attributes of CloudEvents, as in the binding for Kafka. */
    private static final String PREFIX = "ce_";

    private static final String AGGREGATE_TYPE = "{aggregateType}";
    private static final String AGGREGATE_ID = "{aggregateId}";

    /** AMQP 0-9-1 has one byte for the length. */
    private static final int LONGEST_KEY = 255;

    /** Returns whether an exchange has nothing in braces but what stands for the aggregate type. */
    public static boolean isValidExchange(String exchange) {
        return hasOnly("aggregateType", exchange);
    }

    /** Returns whether a routing key has nothing in braces but what stands for an attribute of the event. */
    public static boolean isValid(String routingKey) {
        return hasOnly("aggregateId|aggregateType|eventType", routingKey);
    }

    /** After a dollar, braces hold Spring's placeholders. */
    private static boolean hasOnly(String placeholders, String text) {
        return text.replaceAll("(?<!\\$)\\{(" + placeholders + ")}", "").matches("[^{}]*");
    }

    @Override
    public RabbitMessage apply(EventEnvelope event) {
        String pattern =
                routingKey.replace(AGGREGATE_TYPE, event.aggregateType()).replace("{eventType}", event.eventType());
        String key = pattern.replace(AGGREGATE_ID, event.aggregateId());
        int length = key.getBytes(UTF_8).length;
        if (length > LONGEST_KEY) {
            throw new NonRetryableException(
                    "the routing key " + key + " has " + length + " bytes, and AMQP permits " + LONGEST_KEY);
        }
        String chosen = exchange.replace(AGGREGATE_TYPE, event.aggregateType());
        return new RabbitMessage(
                chosen,
                key,
                RabbitMessage.name(chosen) + " with routing key " + pattern,
                new Message(event.payload().getBytes(UTF_8), properties(event)));
    }

    private MessageProperties properties(EventEnvelope event) {
        MessageProperties properties = new MessageProperties();
        properties.setDeliveryMode(MessageDeliveryMode.PERSISTENT);
        properties.setMessageId(event.eventId().toString());
        properties.setType(event.eventType());
        properties.setTimestamp(Date.from(event.occurredAt()));
        properties.setContentType(CloudEvents.JSON);
        properties.setContentEncoding(UTF_8.name());
        CloudEvents.headers(event, source, PREFIX).forEach(properties::setHeader);
        return properties;
    }
}
