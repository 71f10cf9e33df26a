package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.test.ForwardedRecord;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.support.TransactionOperations;

/** Routes and inboxes without a broker. */
@OutboxTest(
        properties = {
            "outbox.forwarding.source=/shop",
            "outbox.kafka.routes.orders.aggregate-types=order",
            "outbox.kafka.routes.orders.topic=shop.{aggregateType}s",
            "outbox.kafka.inboxes.warehouse.topics=warehouse.stock",
            "outbox.kafka.inboxes.warehouse.group=shop",
            "outbox.kafka.inboxes.warehouse.unknown-types=dead-letter"
        })
@Import(KafkaTest.Stock.class)
class KafkaTest {

    private static final List<EventEnvelope> COUNTED = new CopyOnWriteArrayList<>();

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private OutboxTester outbox;

    static class Stock {

        @Bean
        HandlerDefinition stock() {
            return HandlerDefinition.of("stock", Set.of("StockCounted"), (EventEnvelope event) -> COUNTED.add(event));
        }
    }

    record Counted(int parts) {}

    @BeforeEach
    void clear() {
        COUNTED.clear();
    }

    @Test
    void forwardedRecordsAreSeen() {
        transactions.executeWithoutResult((status) -> publisher.publish(
                OutboxEvent.of("order", "7", Map.of("number", 7)).withEventType("OrderPlaced")));
        assertThat(outbox.forwarded("shop.orders")).isEmpty();
        outbox.drain();
        assertThat(outbox.forwarded("shop.orders"))
                .extracting(ForwardedRecord::key)
                .containsExactly("7");

        assertThat(outbox.forwarded("shop.orders")).singleElement().satisfies((record) -> {
            assertThat(record.value()).contains("7");
            assertThat(record.headers()).containsEntry("ce_source", "/shop").containsEntry("ce_type", "OrderPlaced");
        });
        outbox.cleanUp();
        assertThat(outbox.forwarded("shop.orders")).isEmpty();
    }

    @Test
    void receivedEventsReachTheirHandlers() {
        outbox.receive("warehouse.stock", OutboxEvent.of("part", "a", new StockCounted("a")))
                .drain();
        outbox.receive(
                        "warehouse.stock",
                        OutboxEvent.of("part", "a", Map.of("article", "a")).withEventType("StockCounted"))
                .drain();

        assertThat(COUNTED).extracting(EventEnvelope::sequence).containsExactly(1L, 2L);
        assertThat(COUNTED).allSatisfy((event) -> assertThat(event.headers()).containsEntry("origin", "/test"));
    }

    @Test
    void refusedRecordIsADeadLetter() {
        outbox.receive(new ForwardedRecord("warehouse.stock", "a", "{}", Map.of()));
        outbox.receive("warehouse.stock", OutboxEvent.of("part", "b", new Counted(1)));

        assertThat(outbox.drain().dead()).isEqualTo(2);
        assertThatThrownBy(() -> outbox.receive("elsewhere", OutboxEvent.of("part", "a", new Counted(1))))
                .hasMessage("no inbox receives the topic elsewhere");
    }
}
