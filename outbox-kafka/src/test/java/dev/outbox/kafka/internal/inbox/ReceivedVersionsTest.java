package dev.outbox.kafka.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventType;
import dev.outbox.EventUpcaster;
import dev.outbox.HandlerDefinition;
import dev.outbox.kafka.fixture.Receiver;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events of another service that have other versions than the classes here, for a handler of a sealed type. */
class ReceivedVersionsTest {

    sealed interface ShopEvent permits Placed, Cancelled {}

    @EventType(value = "com.example.order-placed.v1", version = 2)
    record Placed(int count) implements ShopEvent {}

    @EventType("com.example.order-cancelled.v1")
    record Cancelled(int number) implements ShopEvent {}

    private final List<Object> handled = new CopyOnWriteArrayList<>();
    private final Receiver receiver = new Receiver(
            Receiver.settings(null, Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER),
            List.of(EventUpcaster.of("com.example.order-placed.v1", 1, 2, (json) -> {
                json.set("count", json.remove("number"));
                return json;
            })),
            HandlerDefinition.of("shop-events", ShopEvent.class, (event, envelope) -> handled.add(event)));

    @AfterEach
    void close() {
        receiver.close();
    }

    @Test
    void olderVersionIsConvertedAndNewerOneIsADeadLetter() {
        receiver.subscribed.addAll(Set.of("com.example.order-placed.v1", "com.example.order-cancelled.v1"));

        receiver.receive(
                placed("1", 1, "1"),
                placed("2", 1, "3"),
                placed("3", 1, "2").withValue("{\"count\": 5}"),
                cancelled("1", 2));

        await().untilAsserted(() ->
                assertThat(handled).containsExactlyInAnyOrder(new Placed(1), new Placed(5), new Cancelled(1)));
        await().untilAsserted(() -> assertThat(receiver.sql()
                        .sql(
                                "SELECT last_error_code || ' ' || last_error FROM events.outbox_delivery WHERE status = 'DEAD'")
                        .query(String.class)
                        .list())
                .containsExactly(
                        "NEWER_VERSION the event has version 3 of com.example.order-placed.v1, this application"
                                + " knows 2: deploy the class of version 3 in every instance; retry afterwards"));
    }

    private static TestRecord placed(String aggregateId, long sequence, String version) {
        return TestRecord.of(aggregateId, sequence)
                .with("ce_type", "com.example.order-placed.v1")
                .with("ce_schemaversion", version);
    }

    private static TestRecord cancelled(String aggregateId, long sequence) {
        return TestRecord.of(aggregateId, sequence)
                .with("ce_type", "com.example.order-cancelled.v1")
                .with("ce_schemaversion", "1");
    }
}
