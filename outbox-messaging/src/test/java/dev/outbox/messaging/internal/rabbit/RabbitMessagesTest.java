package dev.outbox.messaging.internal.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RabbitMessagesTest {

    @ParameterizedTest
    @CsvSource({
        "{aggregateId}, 7, {aggregateId}",
        "{aggregateType}.{eventType}, Order.OrderPlaced, Order.OrderPlaced",
        "shop.{eventType}.{aggregateId}, shop.OrderPlaced.7, shop.OrderPlaced.{aggregateId}",
        "orders, orders, orders"
    })
    void messagesOfOnePatternFailTogether(String routingKey, String key, String pattern) {
        RabbitMessage message = new RabbitMessages("/shop", "orders", routingKey).apply(event("7"));

        assertThat(message.routingKey()).isEqualTo(key);
        assertThat(message.unit()).isEqualTo("exchange orders with routing key " + pattern);
    }

    @Test
    void exchangeCanBeTheAggregateType() {
        RabbitMessage message = new RabbitMessages("/shop", "shop.{aggregateType}", "{aggregateId}").apply(event("7"));

        assertThat(message.exchange()).isEqualTo("shop.Order");
        assertThat(message.unit()).isEqualTo("exchange shop.Order with routing key {aggregateId}");
    }

    @Test
    void relayedEventKeepsItsSource() {
        EventEnvelope event = event("7", Map.of(EventEnvelope.ORIGIN, "/store"));

        assertThat(new RabbitMessages("/shop", "orders", "orders")
                        .apply(event)
                        .message()
                        .getMessageProperties()
                        .getHeaders())
                .containsEntry("ce_source", "/store")
                .doesNotContainKey(EventEnvelope.ORIGIN);
    }

    @Test
    void routingKeyThatAmqpCannotCarryIsDeadAtOnce() {
        RabbitMessages messages = new RabbitMessages("/shop", "orders", "{aggregateId}");

        assertThat(messages.apply(event("ž".repeat(127) + "z")).routingKey()).hasSize(128);
        assertThatThrownBy(() -> messages.apply(event("ž".repeat(128))))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("has 256 bytes, and AMQP permits 255");
    }

    private static EventEnvelope event(String aggregateId) {
        return event(aggregateId, Map.of());
    }

    private static EventEnvelope event(String aggregateId, Map<String, String> headers) {
        return new EventEnvelope(
                1,
                UUID.randomUUID(),
                "default",
                "Order",
                aggregateId,
                1,
                "OrderPlaced",
                1,
                "{}",
                headers,
                Instant.parse("2026-03-01T12:00:00.123456Z"),
                false);
    }
}
