package dev.outbox.messaging.internal.rabbit;

import org.springframework.amqp.core.Message;

/**
 * Message with its address.
 *
 * @param unit what else fails with it: the messages to its exchange whose keys have the same pattern
 */
public record RabbitMessage(String exchange, String routingKey, String unit, Message message) {

    /** Returns the address for operators. */
    String address() {
        return name(exchange) + " with routing key " + routingKey;
    }

    /** Returns an exchange for operators. */
    public static String name(String exchange) {
        return exchange.isEmpty() ? "the default exchange" : "exchange " + exchange;
    }
}
