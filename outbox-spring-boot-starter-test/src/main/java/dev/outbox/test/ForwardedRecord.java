package dev.outbox.test;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Message of a forwarded event: a record for Kafka, or a message for RabbitMQ or a {@code MessageChannel}.
 *
 * @param destination the topic, the exchange, or the name of the channel
 * @param key the key of a record, the routing key, or the group id for a channel; {@code null} if there is none
 * @param value the payload as text
 * @param headers the headers as text, such as {@code ce_id}; for RabbitMQ with the properties, as a listener names them:
 *     {@code amqp_messageId}
 */
public record ForwardedRecord(String destination, @Nullable String key, String value, Map<String, String> headers) {

    /** Copies the headers. */
    public ForwardedRecord {
        headers = Map.copyOf(headers);
    }
}
