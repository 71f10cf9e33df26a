package dev.outbox.kafka.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.InvalidEventException;
import dev.outbox.kafka.fixture.Receiver;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the records of a poll, on PostgreSQL and without Kafka. */
class InboxTest {

    private static final InboxSettings ACCEPTING = Receiver.settings(null, Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER);

    private Receiver receiver = new Receiver(ACCEPTING, "shop:");

    @AfterEach
    void close() {
        receiver.close();
    }

    @EventType("OrderPlaced")
    record Placed(int number) {}

    @Test
    void eventIsStoredAsItWasPublished() {
        String json = "{\"amount\": 1.10, \"large\": 12345678901234567890.123}";
        TestRecord record =
                TestRecord.of("1", 7).withValue(json).with("tenant", "é").with("origin", "/elsewhere");
        receiver.receive(record);

        await().until(() -> receiver.handled.size() == 1);
        EventEnvelope event = receiver.handled.get(0);
        assertThat(event.eventId()).isEqualTo(record.eventId());
        assertThat(event.aggregateType()).isEqualTo("shop:order");
        assertThat(event.sequence()).isEqualTo(7);
        assertThat(event.schemaVersion()).isEqualTo(3);
        assertThat(event.occurredAt()).isEqualTo("2026-01-02T03:04:05.123456Z");
        assertThat(event.headers())
                .containsOnlyKeys("origin", "tenant")
                .containsEntry("origin", "/shop")
                .containsEntry("tenant", "é");
        assertThat(event.payload()).contains("1.10").contains("12345678901234567890.123");
    }

    @Test
    void renamedServiceContinuesAfterOriginChanges() {
        receiver.receive(
                TestRecord.of("1", 1),
                TestRecord.of("1", 2).with("ce_source", "/store"),
                TestRecord.of("1", 3).with("ce_source", "/store"));
        assertThat(receiver.awaitDead(2))
                .allSatisfy((error) -> assertThat(error)
                        .contains("comes from /store, but other events of this aggregate type come from /shop"));

        receiver.sql()
                .sql("UPDATE events.outbox_aggregate_type SET origin = '/store' WHERE origin = '/shop'")
                .update();
        receiver.operator().operations().retry(receiver.dead(), "ann", "the origin was changed");

        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(1L, 2L, 3L));
    }

    @Test
    void eventOfAnotherSourceMayNotHaveTheSameId() {
        receiver.sql()
                .sql("INSERT INTO events.outbox_aggregate_type VALUES ('outbox.forwarding.source', false, '/billing')")
                .update();
        TestRecord received = TestRecord.of("1", 1);
        TestRecord own = TestRecord.of("2", 1)
                .with(
                        "ce_id",
                        receiver.publish("cart", "1", new Placed(1)).eventId().toString());
        receiver.receive(
                received,
                received,
                received.with("ce_source", "/store").with("ce_aggregatetype", "parcel"),
                own.with("ce_source", "/billing"),
                own);
        receiver.receive(received.with("ce_source", "/depot").with("ce_aggregatetype", "pallet"));

        assertThat(receiver.awaitDead(3))
                .satisfiesExactly(
                        (error) -> assertThat(error)
                                .contains("comes from /store, and an event of /shop is stored under this id"),
                        (error) -> assertThat(error).contains("comes from /shop, and an event of /billing is stored"),
                        (error) -> assertThat(error).contains("comes from /depot, and an event of /shop is stored"));
        assertThat(receiver.count(Result.DROPPED)).isEqualTo(2);
        receiver.operator().operations().retry(receiver.dead(), "ann", "again");
        receiver.awaitDead(3);
    }

    @Test
    void recordsOfARepeatedPollAreDropped() {
        TestRecord[] records = {
            TestRecord.of("1", 1),
            TestRecord.of("2", 1),
            TestRecord.of("1", 2),
            TestRecord.of("1", 3).without("ce_type")
        };
        receiver.receive(records);
        receiver.receive(records);

        await().until(() -> receiver.handled.size() == 3);
        assertThat(receiver.awaitDead(1))
                .containsExactly("the record has no header ce_type; an inbox takes events in"
                        + " the binary mode of CloudEvents 1.0");
        assertThat(receiver.sequences("1")).containsExactly(1L, 2L);
        assertThat(receiver.count(Result.RECEIVED)).isEqualTo(3);
        assertThat(receiver.count(Result.DROPPED)).isEqualTo(4);
        assertThat(receiver.count(Result.REFUSED)).isEqualTo(1);
    }

    @Test
    void consumersThatStoreTheSamePollStoreItOnce() {
        List<ConsumerRecord<byte[], byte[]>> polled = Receiver.polled(LongStream.range(0, 200)
                .mapToObj((n) -> TestRecord.of("" + n % 7, n / 7))
                .toArray(TestRecord[]::new));
        CyclicBarrier together = new CyclicBarrier(3);
        Executor ownThreads = (task) -> new Thread(task).start();
        List<CompletableFuture<Void>> consumers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            consumers.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            together.await(60, TimeUnit.SECONDS);
                        } catch (Exception ex) {
                            throw new IllegalStateException(ex);
                        }
                        assertThatCode(() -> receiver.inbox().receive(polled, new HashMap<>()))
                                .satisfiesAnyOf(
                                        (none) -> assertThat(none).isNull(),
                                        (other) -> assertThat(other).isInstanceOf(Inbox.OtherOffsetsException.class));
                    },
                    ownThreads));
        }
        consumers.forEach(CompletableFuture::join);

        await().until(() -> receiver.handled.size() == 200);
        for (int aggregate = 0; aggregate < 7; aggregate++) {
            assertThat(receiver.sequences("" + aggregate)).isSorted().doesNotHaveDuplicates();
        }
        assertThat(receiver.count(Result.RECEIVED)).isEqualTo(200);
        assertThat(receiver.count(Result.REFUSED)).isZero();
    }

    @Test
    void refusedRecordsBecomeDeadLettersAndTheOthersAreStored() {
        receiver.receive(
                TestRecord.of("1", 1),
                TestRecord.of("2", 1).withValue("{\"number\": "),
                TestRecord.of("3", 1).with("ce_id", "17"),
                TestRecord.of("4", 1).with("ce_type", "OrderShipped"),
                TestRecord.of("5", 1).with("ce_schemaversion", "0"),
                TestRecord.of("x".repeat(300), 1),
                TestRecord.of("6", 1).withValue(null),
                TestRecord.of("1", 2));

        assertThat(receiver.awaitDead(6))
                .satisfiesExactly(
                        (error) -> assertThat(error).contains("text that is no JSON"),
                        (error) -> assertThat(error).contains("ce_id must be a UUID"),
                        (error) -> assertThat(error).contains("no handler subscribes to the event type OrderShipped"),
                        (error) -> assertThat(error).contains("must be at least 1: 0"),
                        (error) -> assertThat(error).contains("aggregate id has more than 255 characters"),
                        (error) -> assertThat(error).contains("has no value"));
        await().until(() -> receiver.handled.size() == 2);
        assertThat(receiver.sequences("1")).containsExactly(1L, 2L);
        assertThat(receiver.count(Result.REFUSED)).isEqualTo(6);
    }

    @Test
    void hundredInvalidEventsInARowPauseTheInbox() {
        TestRecord[] records = new TestRecord[130];
        Arrays.setAll(records, (n) -> TestRecord.of("" + n, 1).withValue("<order/>"));

        assertThat(receiver.receive(records)).isEqualTo(100);
        assertThat(receiver.inbox().look().paused()).isTrue();
    }

    @Test
    void oneLookServesAllConsumersOfAnInbox() {
        long begun = System.nanoTime();
        OffsetStore.Look first = receiver.inbox().look(begun);

        assertThat(receiver.inbox().look(begun)).isSameAs(first);
        assertThat(receiver.inbox().look(first.begunAt())).isNotSameAs(first);
    }

    @Test
    void namesThatCannotBeStoredDoNotStopThePartition() {
        receiver.receive(
                TestRecord.of("1", 1).with("bad\0name", "value"),
                TestRecord.of("2", 1).with("bad\0name", "value").without("ce_type"),
                TestRecord.of("3", 1).with("ce_type", "outbox.KafkaRecord"),
                TestRecord.of("4", 1));

        await().until(() -> receiver.handled.size() == 2);
        assertThat(receiver.awaitDead(2)).anyMatch((reason) -> reason.contains("is reserved"));
        assertThat(receiver.handled).extracting(EventEnvelope::aggregateId).containsExactlyInAnyOrder("1", "4");
    }

    @Test
    void retryStoresTheEventOnceItsTypeHasAHandler() {
        receiver.receive(TestRecord.of("1", 1).with("ce_type", "OrderShipped"), TestRecord.of("1", 2));
        receiver.awaitDead(1);
        await().until(() -> receiver.handled.size() == 1);

        receiver.subscribed.add("OrderShipped");
        receiver.operator().operations().retry(receiver.dead(), "ann", "deployed");
        await().until(() -> receiver.handled.size() == 2);
        assertThat(receiver.sequences("1")).containsExactly(2L, 1L);
        assertThat(receiver.operator().operations().count(receiver.dead()).value())
                .isZero();
        receiver.receive(TestRecord.of("1", 3));
        await().until(() -> receiver.handled.size() == 3);
    }

    @Test
    void lateRecordIsADeadLetterThatARetryStores() {
        receiver.receive(TestRecord.of("1", 5), TestRecord.of("1", 3));

        assertThat(receiver.awaitDead(1).get(0))
                .contains("of shop:order/1 with sequence 3 arrived after the sequence 5 of the topic orders");
        assertThat(receiver.sequences("1")).containsExactly(5L);
        receiver.operator().operations().retry(receiver.dead(), "ann", "the route sent it late");
        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(5L, 3L));
        receiver.receive(TestRecord.of("1", 4), TestRecord.of("1", 6));
        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(5L, 3L, 6L));
        receiver.awaitDead(1);
    }

    @Test
    void lateRecordsMayBeAccepted() {
        receiver.close();
        receiver = new Receiver(Receiver.settings(null, Late.ACCEPT, UnknownTypes.DEAD_LETTER));
        receiver.receive(TestRecord.of("1", 5));
        await().until(() -> receiver.handled.size() == 1);
        receiver.receive(TestRecord.of("1", 3), TestRecord.of("1", 6));

        await().untilAsserted(() -> assertThat(receiver.sequences("1")).containsExactly(5L, 3L, 6L));
        assertThat(receiver.count(Result.RECEIVED)).isEqualTo(3);
    }

    @Test
    void topicsOfOneAggregateTypeHaveNoCommonOrder() {
        List<ConsumerRecord<byte[], byte[]>> orders = new ArrayList<>();
        List<ConsumerRecord<byte[], byte[]>> cancellations = new ArrayList<>();
        for (int n = 0; n < 200; n++) {
            (n % 4 == 0 ? orders : cancellations)
                    .add(TestRecord.of("" + n % 10, n).at(n % 4 == 0 ? "a" : "b", n));
        }
        receiver.inbox().receive(cancellations, receiver.next);
        receiver.inbox().receive(orders, receiver.next);

        await().until(() -> receiver.handled.size() == 200);
        assertThat(receiver.count(Result.REFUSED)).isZero();
    }

    @Test
    void lateAndUnknownRecordsMayBeDropped() {
        receiver.close();
        receiver = new Receiver(Receiver.settings(null, Late.DROP, UnknownTypes.IGNORE));
        receiver.receive(
                TestRecord.of("1", 5),
                TestRecord.of("1", 3),
                TestRecord.of("1", 6).with("ce_type", "OrderShipped"));

        await().until(() -> receiver.handled.size() == 1);
        assertThat(receiver.count(Result.DROPPED)).isEqualTo(2);
        assertThat(receiver.count(Result.REFUSED)).isZero();
    }

    @Test
    void eventThatNoHandlerTakesIsStoredAsHistory() {
        receiver.close();
        receiver = new Receiver(Receiver.settings(null, Late.DEAD_LETTER, UnknownTypes.STORE));
        receiver.receive(TestRecord.of("1", 1).with("ce_type", "OrderLost"), TestRecord.of("1", 2));

        await().until(() -> receiver.handled.size() == 1);
        await().until(() -> receiver.sql()
                .sql("SELECT count(*) = 1 FROM events.outbox_published WHERE event_type = 'OrderLost'")
                .query(Boolean.class)
                .single());
        assertThat(receiver.count(Result.RECEIVED)).isEqualTo(2);
    }

    @Test
    void receivedAndOwnEventsShareNoAggregateType() {
        receiver.receive(TestRecord.of("1", 1));
        assertThatThrownBy(() -> receiver.publish("shop:order", "1", new Placed(1)))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("come from /shop");

        receiver.publish("shop:cart", "1", new Placed(1));
        receiver.receive(TestRecord.of("1", 2).with("ce_aggregatetype", "cart"), TestRecord.of("1", 2));
        assertThat(receiver.awaitDead(1).get(0))
                .contains("comes from /shop, but other events of this aggregate type come from this service");
        await().until(() -> receiver.handled.size() == 3);
    }

    @Test
    void largestPayloadOfSenderIsStored() {
        String text = "a b \\\" ".repeat(150_000);
        String published = "{\"number\":1,\"text\":\"" + text.substring(0, (1 << 20) - 22) + "\"}";
        receiver.receive(TestRecord.of("1", 1).withValue(published.replaceFirst(":1,\"text\":", ": 1, \"text\": ")));

        assertThat(published).hasSize(1 << 20);
        await().until(() -> receiver.handled.size() == 1);
    }

    @Test
    void recordThatIsTooLargeIsADeadLetterWithoutItsContent() {
        receiver.receive(TestRecord.of("1", 1).withValue("\"" + "x".repeat(1 << 20) + "\""), TestRecord.of("1", 2));

        assertThat(receiver.awaitDead(1).get(0))
                .contains("outbox.publisher.max-payload-size")
                .contains("read offset 0 of orders-0");
        await().until(() -> receiver.handled.size() == 1);
    }
}
