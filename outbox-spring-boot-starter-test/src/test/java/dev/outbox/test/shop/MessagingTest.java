package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.test.ForwardedRecord;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.transaction.support.TransactionOperations;

/** Routes to RabbitMQ and message channels without a broker, without a channel, and with a template that routes would refuse. */
@OutboxTest(
        properties = {
            "outbox.forwarding.source=/shop",
            "outbox.rabbit.routes.orders.aggregate-types=order",
            "outbox.rabbit.routes.orders.exchange=shop.orders",
            "outbox.rabbit.routes.orders.routing-key={eventType}.{aggregateId}",
            "outbox.channel.routes.parts.aggregate-types=part",
            "outbox.channel.routes.parts.channel=parts",
            "outbox.channel.routes.parts.confirmation=synchronous"
        })
@ImportAutoConfiguration(RabbitAutoConfiguration.class)
class MessagingTest {

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private OutboxTester outbox;

    @Autowired
    private RabbitTemplate template;

    @Test
    void messageToRabbitIsSeen() {
        assertThat(template.getConnectionFactory().isPublisherConfirms()).isFalse();
        publish("order", "7", "OrderPlaced");

        assertThat(outbox.forwarded("shop.orders")).isEmpty();
        outbox.drain();

        assertThat(outbox.forwarded("shop.orders")).singleElement().satisfies((message) -> {
            assertThat(message.key()).isEqualTo("OrderPlaced.7");
            assertThat(message.value()).isEqualTo("{\"number\": 1}");
            assertThat(message.headers())
                    .containsEntry("ce_source", "/shop")
                    .containsEntry("amqp_type", "OrderPlaced")
                    .containsEntry("amqp_messageId", message.headers().get("ce_id"));
        });
        assertThat(outbox).published("OrderPlaced").handledBy("rabbit-orders").isHandled();
        outbox.cleanUp();
        assertThat(outbox.forwarded("shop.orders")).isEmpty();
    }

    @Test
    void messageToChannelIsSeen() {
        publish("part", "a", "PartCounted");
        publish("part", "b", "PartCounted");
        publish("order", "7", "OrderPlaced");

        outbox.drain();

        assertThat(outbox.forwarded("parts")).extracting(ForwardedRecord::key).containsExactlyInAnyOrder("a", "b");
        assertThat(outbox.forwarded("parts")).allSatisfy((message) -> {
            assertThat(message.value()).isEqualTo("{\"number\": 1}");
            assertThat(message.headers()).containsEntry("ce_type", "PartCounted");
        });
    }

    private void publish(String aggregateType, String aggregateId, String eventType) {
        transactions.executeWithoutResult((status) -> publisher.publish(
                OutboxEvent.of(aggregateType, aggregateId, Map.of("number", 1)).withEventType(eventType)));
    }
}
