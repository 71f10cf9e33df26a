package dev.outbox.messaging.rabbit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.outbox.EventEnvelope;
import dev.outbox.testing.RabbitProcess;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;

/** From the publisher to a queue, with a real broker and a real database. */
@EnabledIf(value = TestRabbit.INSTALLED, disabledReason = RabbitProcess.MISSING)
class RabbitForwardingTest {

    private static Shop shop;
    private static List<String> queues;

    @BeforeAll
    static void start() {
        TestRabbit.declare("orders");
        queues = TestRabbit.declareHash("payments", 4);
        shop = Shop.start(
                "orders.aggregate-types=Order",
                "orders.exchange=orders",
                "orders.routing-key=shop.{aggregateType}.{eventType}.{aggregateId}",
                "payments.aggregate-types=Payment",
                "payments.exchange=payments",
                "direct.aggregate-types=Direct",
                "direct.exchange=",
                "direct.routing-key=orders");
    }

    @AfterAll
    static void stop() {
        shop.close();
    }

    @Test
    void consumerGetsMessageWithAllProperties() {
        Instant time = Instant.parse("2026-03-01T12:00:00.123456Z");
        EventEnvelope stored = shop.publish(Shop.event("Order", "7", "Žižkov")
                        .occurredAt(time)
                        .withHeader("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
                .get(0);

        Message message = TestRabbit.receive("orders", 1).get(0);

        MessageProperties properties = message.getMessageProperties();
        assertThat(new String(message.getBody(), UTF_8)).isEqualTo("{\"text\": \"Žižkov\"}");
        assertThat(properties.getReceivedRoutingKey()).isEqualTo("shop.Order.OrderPlaced.7");
        assertThat(properties.getReceivedDeliveryMode()).isEqualTo(MessageDeliveryMode.PERSISTENT);
        assertThat(properties.getMessageId()).isEqualTo(stored.eventId().toString());
        assertThat(properties.getType()).isEqualTo("OrderPlaced");
        assertThat(properties.getTimestamp()).isEqualTo(Date.from(Instant.parse("2026-03-01T12:00:00Z")));
        assertThat(properties.getContentType()).isEqualTo("application/json");
        assertThat(properties.getContentEncoding()).isEqualTo("UTF-8");
        assertThat(properties.getHeaders())
                .containsAllEntriesOf(Map.of(
                        "ce_specversion", "1.0",
                        "ce_id", stored.eventId().toString(),
                        "ce_source", "/shop",
                        "ce_type", "OrderPlaced",
                        "ce_time", time.toString(),
                        "ce_subject", "7",
                        "ce_aggregatetype", "Order",
                        "ce_sequence", "1",
                        "ce_schemaversion", "1",
                        "processed", "yes"))
                .hasEntrySatisfying(
                        "traceparent",
                        (value) -> assertThat(value).asString().startsWith("00-0af7651916cd43dd8448eb211c80319c"));
    }

    @Test
    void defaultExchangeSendsToAQueue() {
        shop.publish(Shop.event("Direct", "1", "text"));

        assertThat(TestRabbit.receive("orders", 1).get(0).getMessageProperties().getReceivedExchange())
                .isEmpty();
    }

    @Test
    void hashedAggregatesArriveInOrder() {
        shop.publish("Payment", 50, 20);

        assertThat(TestRabbit.sequences(TestRabbit.receive(queues, 1000)))
                .hasSize(50)
                .allSatisfy((aggregate, sequences) -> assertThat(sequences)
                        .containsExactlyElementsOf(
                                IntStream.rangeClosed(1, 20).boxed().toList()));
    }

    @Test
    void messageThatBrokerRefusesIsDeadWhileOthersPass() {
        UUID large = shop.publish(
                        Shop.event("Order", "large", "x".repeat(RabbitProcess.LARGEST_MESSAGE)),
                        Shop.event("Order", "small", "text"))
                .get(0)
                .eventId();

        assertThat(TestRabbit.receive("orders", 1)).hasSize(1);
        assertThat(shop.dead(large, "rabbit-orders").attempts()).satisfies((attempts) -> {
            assertThat(attempts.failed()).isEqualTo(1);
            assertThat(attempts.lastFailure().message()).contains("is larger than configured max size");
        });
    }

    @Test
    void messageThatClientRefusesShiftsNoConfirmation() {
        UUID refused = shop.publish(
                        Shop.event("Order", "headers", "text").withHeader("long", "x".repeat(200_000)),
                        Shop.event("Order", "plain", "text"))
                .get(0)
                .eventId();

        assertThat(shop.dead(refused, "rabbit-orders").attempts().lastFailure().message())
                .contains("Content headers exceeded max frame size");
        shop.publish(Shop.event("Order", "plain", "text"));
        assertThat(TestRabbit.sequences(TestRabbit.receive("orders", 2)))
                .containsExactly(entry("plain", List.of(1, 2)));
        shop.awaitHandled("Order", "plain");
    }

    @Test
    void exceptionOfAPostProcessorCounts() {
        UUID refused = shop.publish(Shop.event("Order", "refused", "text").withHeader("refused", "yes"))
                .get(0)
                .eventId();

        assertThat(shop.dead(refused, "rabbit-orders").attempts().failed()).isEqualTo(Shop.MAX_ATTEMPTS);
    }
}
