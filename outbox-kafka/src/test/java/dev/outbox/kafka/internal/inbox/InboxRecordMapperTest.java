package dev.outbox.kafka.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.RetryAfterException;
import dev.outbox.kafka.InboxRecordMapper;
import dev.outbox.kafka.fixture.Receiver;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A topic of a service without this library, whose records have a key and a value only. */
@ExtendWith(OutputCaptureExtension.class)
class InboxRecordMapperTest {

    private final AtomicBoolean schemasAreAway = new AtomicBoolean();
    private final InboxRecordMapper mapper = (record) -> {
        String value = new String(record.value(), StandardCharsets.UTF_8);
        if (schemasAreAway.get()) {
            throw new RetryAfterException(Duration.ofSeconds(1), "the schema registry is away");
        }
        return switch (value) {
            case "tombstone" -> null;
            case "bad" -> throw new NonRetryableException("the order has no number");
            case "bug" -> throw new IllegalStateException("a bug");
            case "nested" -> throw new StackOverflowError();
            case "no class" -> throw new NoClassDefFoundError("com/example/Order");
            case "full" -> throw new OutOfMemoryError("Java heap space");
            default ->
                OutboxEvent.of("order", new String(record.key(), StandardCharsets.UTF_8), Map.of("number", value))
                        .withEventType("OrderPlaced");
        };
    };
    private final Receiver receiver =
            new Receiver(Receiver.settings(null, Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER), mapper);

    @AfterEach
    void close() {
        receiver.close();
    }

    private static TestRecord record(String key, @Nullable String value) {
        return new TestRecord(key, Map.of(), null).withValue(value);
    }

    @Test
    void positionOfTheRecordCompletesTheEvent() {
        TestRecord[] records = {record("1", "17"), record("2", "18"), record("1", "19")};
        receiver.receive(records);
        receiver.receive(records);

        await().until(() -> receiver.handled.size() == 3);
        assertThat(receiver.count(Result.DROPPED)).isEqualTo(3);
        assertThat(receiver.sequences("1")).containsExactly(1L, 2L);
        EventEnvelope event = receiver.handled.get(0);
        assertThat(event.payload()).contains("17");
        assertThat(event.headers()).containsEntry(EventEnvelope.ORIGIN, "orders");
        assertThat(event.occurredAt()).isEqualTo(Instant.ofEpochMilli(TestRecord.TIMESTAMP));
    }

    @Test
    void offsetsOfOtherPartitionsAndTopicsSayNothing() {
        receiver.operator().operations().pauseHandler("application", "ann", "the events stay in the queue");
        TopicPartition first = new TopicPartition("orders", 0);
        TopicPartition added = new TopicPartition("orders", 1);
        store(first, "created", 0, "17", "18", "19");
        store(added, "created", 0, "20", "21");
        store(first, "created again", 0, "22");
        receiver.operator().operations().resumeHandler("application", "ann", "look");

        await().until(() -> receiver.handled.size() == 6);
        assertThat(receiver.handled)
                .extracting(EventEnvelope::payload)
                .map((payload) -> payload.replaceAll("\\D", ""))
                .containsExactly("17", "18", "19", "20", "21", "22");
        assertThat(receiver.count(Result.REFUSED)).isZero();
    }

    /** Stores records of one aggregate from a partition of the topic with an id. */
    private void store(TopicPartition partition, String topicId, long offset, String... values) {
        receiver.inbox().move(Map.of(partition, new StoredOffset(offset, topicId, false)), receiver.next);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (String value : values) {
            records.add(record("1", value).at(partition, offset + records.size()));
        }
        receiver.inbox().receive(records, receiver.next);
    }

    @Test
    void recordsAreIgnoredOrRefused() {
        receiver.receive(record("1", "tombstone"), record("2", "bad"), record("3", "bug"), record("4", "20"));

        await().until(() -> receiver.handled.size() == 1);
        assertThat(receiver.awaitDead(2))
                .containsExactly("the order has no number", "the InboxRecordMapper failed: a bug");
        assertThat(receiver.count(Result.DROPPED)).isEqualTo(1);
    }

    @Test
    void errorOfTheMapperRefusesItsRecordOnly() {
        receiver.receive(record("1", "nested"), record("2", "no class"), record("3", "17"));

        await().until(() -> receiver.handled.size() == 1);
        assertThat(receiver.awaitDead(2))
                .containsExactly(
                        "the InboxRecordMapper failed: java.lang.StackOverflowError: null",
                        "the InboxRecordMapper failed: java.lang.NoClassDefFoundError: com/example/Order");
        assertThatThrownBy(() -> receiver.receive(record("4", "full"))).isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void hundredRefusedRecordsInARowPauseTheInbox(CapturedOutput output) {
        TestRecord[] records = new TestRecord[350];
        Arrays.setAll(records, (n) -> record("" + n, n == 99 ? "17" : "bad"));

        assertThat(receiver.receive(records)).isEqualTo(200);
        assertThat(receiver.count(Result.REFUSED)).isEqualTo(199);
        assertThat(receiver.inbox().look().paused()).isTrue();
        assertThat(receiver.next.values()).extracting(StoredOffset::next).containsExactly(200L);
        assertThat(output)
                .containsOnlyOnce(
                        "Inbox shop pauses itself: 100 records of the topic orders in a row could not be stored,"
                                + " and the next is offset 200 of orders-0: the order has no number.")
                .containsOnlyOnce("Inbox shop refuses records as UNREADABLE (199 since the last report")
                .doesNotContain("gave up on");

        receiver.operator().operations().resumeHandler("kafka-inbox-shop", "ann", "deployed");
        assertThat(receiver.inbox().receive(Receiver.polled(records).subList(200, 350), receiver.next))
                .isEqualTo(100);
        assertThat(receiver.inbox().look().paused()).isTrue();
    }

    @Test
    void recordThatCannotBeReadNowStopsThePoll() {
        schemasAreAway.set(true);
        assertThatThrownBy(() -> receiver.receive(record("1", "17"))).isInstanceOf(RetryAfterException.class);
        assertThat(receiver.next).isEmpty();

        schemasAreAway.set(false);
        receiver.receive(record("1", "17"));
        await().until(() -> receiver.handled.size() == 1);
        assertThat(receiver.count(Result.REFUSED)).isZero();
    }
}
