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

    private static final String AGGREGATE_ID = "{aggregateId}";

    /** AMQP 0-9-1 has one byte for the length. */
    private static final int LONGEST_KEY = 255;

    /** Returns whether a routing key has nothing in braces but what stands for an attribute of the event; after a dollar, Spring's placeholders stand there. */
    public static boolean isValid(String routingKey) {
        return isPlain(routingKey.replaceAll("(?<!\\$)\\{(aggregateId|aggregateType|eventType)}", ""));
    }

    /** Returns whether a text has no braces. */
    public static boolean isPlain(String text) {
        return text.matches("[^{}]*");
    }

    @Override
    public RabbitMessage apply(EventEnvelope event) {
        String pattern =
                routingKey.replace("{aggregateType}", event.aggregateType()).replace("{eventType}", event.eventType());
        String key = pattern.replace(AGGREGATE_ID, event.aggregateId());
        int length = key.getBytes(UTF_8).length;
        if (length > LONGEST_KEY) {
            throw new NonRetryableException(
                    "the routing key " + key + " has " + length + " bytes, and AMQP permits " + LONGEST_KEY);
        }
        return new RabbitMessage(
                exchange,
                key,
                RabbitMessage.name(exchange) + " with routing key " + pattern,
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
