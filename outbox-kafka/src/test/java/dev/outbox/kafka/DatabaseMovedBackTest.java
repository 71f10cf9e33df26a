package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.kafka.fixture.Receiver;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.kafka.internal.inbox.InboxConsumer;
import dev.outbox.kafka.internal.inbox.InboxMeter.Result;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import dev.outbox.kafka.internal.inbox.TopicIds;
import dev.outbox.operations.OutboxOperations.InboxStart;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** Consumers whose database is restored from an older state: rows that came later are gone, and Kafka's offsets are ahead. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class DatabaseMovedBackTest {

    private static final String MOVED_BACK = "the database has moved back in time";
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static KafkaProducer<byte[], byte[]> producer;

    private final String topic = "moved-back-" + TOPICS.incrementAndGet();
    private final Receiver receiver =
            new Receiver(Receiver.settings(null, Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER), "", topic);
    private InboxConsumer consumer;

    @BeforeAll
    static void connect() {
        // A broker that does not know a new topic yet refuses one request and may take the next: one at a time keeps
        // their order.
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", TestKafka.bootstrapServers(), "max.in.flight.requests.per.connection", 1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @AfterAll
    static void disconnect() {
        producer.close();
    }

    @BeforeEach
    void startWithTenEvents() {
        TestKafka.createTopic(topic, Map.of());
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                TestKafka.bootstrapServers(),
                "enable.auto.commit",
                false,
                "auto.offset.reset",
                "none");
        TopicIds topicIds = new TopicIds(config, "-0");
        DefaultKafkaConsumerFactory<byte[], byte[]> factory =
                new DefaultKafkaConsumerFactory<>(config, () -> topicIds, ByteArrayDeserializer::new);
        consumer = new InboxConsumer(
                receiver.inbox(), 0, receiver.dataSource(), topicIds, () -> factory.createConsumer(topic, ""));
        consumer.start();
        send(0, 10);
        awaitStored(10);
    }

    @AfterEach
    void close() {
        consumer.close(Duration.ofSeconds(10));
        receiver.close();
    }

    @Test
    void runningConsumerStoresAgainWhatIsGone(CapturedOutput output) {
        moveBackTo(4);
        send(10, 12);

        awaitStored(12);
        assertThat(output).containsOnlyOnce(MOVED_BACK).contains("continues at offset 4");
        assertThat(receiver.count(Result.REFUSED)).isZero();
    }

    @Test
    void quietPartitionIsReceivedAgain(CapturedOutput output) {
        moveBackTo(4);

        awaitStored(10);
        assertThat(output).containsOnlyOnce(MOVED_BACK);
    }

    @Test
    void restartedConsumerStoresAgainWhatIsGone() {
        consumer.close(Duration.ofSeconds(10));
        moveBackTo(7);
        consumer.start();

        awaitStored(10);
    }

    @Test
    void partitionWithoutRowIsReceivedFromItsBeginning(CapturedOutput output) {
        moveBackTo(0);
        send(10, 11);
        awaitStored(11);

        consumer.close(Duration.ofSeconds(10));
        moveBackTo(0);
        consumer.start();
        awaitStored(11);
        assertThat(output.toString().split(MOVED_BACK + " to before it received"))
                .hasSize(3);
    }

    @Test
    void recordsThatKafkaHasRemovedStopThePartition(CapturedOutput output) {
        consumer.close(Duration.ofSeconds(10));
        moveBackTo(4);
        TestKafka.deleteRecords(topic, 6);
        consumer.start();

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(consumer.problem())
                        .contains(topic
                                + "-0 is stored up to offset 4, but Kafka has removed the records before offset 6"));
        consumer.close(Duration.ofSeconds(10));
        consumer.start();
        await().until(() -> consumer.problem() != null);
        assertThat(stored()).containsExactly(0L, 1L, 2L, 3L);

        resume(InboxStart.EARLIEST);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(stored()).containsExactly(0L, 1L, 2L, 3L, 6L, 7L, 8L, 9L));
        assertThat(consumer.problem()).isNull();
        assertThat(output).containsOnlyOnce("Inbox shop stops a partition, because events are lost");
    }

    @Test
    void expiredOffsetsOfTheGroupContinueAtTheStoredOnes() throws Exception {
        consumer.close(Duration.ofSeconds(10));
        receiver.sql().sql("DELETE FROM events.outbox").update();
        expireOffsets();
        consumer.start();
        send(10, 12);

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(stored()).containsExactly(10L, 11L));
        assertThat(receiver.count(Result.DROPPED) + receiver.count(Result.REFUSED))
                .isZero();
    }

    @Test
    void offsetsOfTheGroupChangeNothing() throws Exception {
        consumer.close(Duration.ofSeconds(10));
        setOffset(2);
        consumer.start();
        send(10, 11);

        awaitStored(11);
        assertThat(receiver.count(Result.DROPPED)).isZero();
    }

    @Test
    void recordsThatKafkaHasForgottenStopThePartition() {
        setStored(1000);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(consumer.problem())
                        .contains("stored up to offset 1000, but Kafka has lost the records from offset 10 on"));

        resume(InboxStart.LATEST);
        await().until(() -> consumer.problem() == null);
        send(10, 11);
        awaitStored(11);
        assertThat(receiver.count(Result.DROPPED)).isZero();
    }

    @Test
    void shorterTopicWithoutIdIsReceivedFromItsBeginning(CapturedOutput output) {
        consumer.close(Duration.ofSeconds(10));
        setStored(1000);
        receiver.sql()
                .sql("UPDATE events.outbox_inbox_offset SET topic_id = NULL")
                .update();
        consumer.start();
        send(10, 11);

        awaitStored(11);
        await().until(() -> receiver.count(Result.DROPPED) == 10);
        assertThat(output).contains("was created again");
        moveBackTo(8);
        send(11, 12);
        awaitStored(12);
    }

    @Test
    void operatorMovesTheStoredOffsetBackAndForth() {
        setStored(2);
        await().atMost(Duration.ofMinutes(1)).until(() -> receiver.count(Result.DROPPED) == 8);
        awaitStored(10);

        consumer.close(Duration.ofSeconds(10));
        send(10, 15);
        setStored(15);
        consumer.start();
        send(15, 16);
        await().atMost(Duration.ofMinutes(1)).until(() -> stored().contains(15L));
        assertThat(stored()).doesNotContain(10L, 14L);
    }

    @Test
    void groupThatAnotherClientUsedBeginsAtItsOffset() throws Exception {
        consumer.close(Duration.ofSeconds(10));
        setStored(0);
        receiver.sql().sql("DELETE FROM events.outbox_inbox_offset").update();
        setOffset(8);
        send(10, 11);
        consumer.start();

        awaitStored(11);
        assertThat(receiver.count(Result.DROPPED)).isEqualTo(2);
    }

    /** Lets an operator decide where the stopped partitions continue. */
    private void resume(InboxStart at) {
        receiver.operator().operations().resumeInbox("shop", at, "ann", "the lost orders are entered by hand");
    }

    private void setStored(long offset) {
        receiver.sql()
                .sql("UPDATE events.outbox_inbox_offset SET next_offset = ? WHERE partition = 0")
                .param(offset)
                .update();
    }

    /** Stands for a restored backup from when the offset was the next one. */
    private void moveBackTo(long offset) {
        await().untilAsserted(() -> assertThat(receiver.sql()
                        .sql("SELECT count(*) FROM events.outbox_unpublished")
                        .query(Long.class)
                        .single())
                .isZero());
        receiver.sql().sql("""
                        WITH gone AS (DELETE FROM events.outbox WHERE aggregate_seq >= :offset),
                             last AS (UPDATE events.outbox_received SET last_seq = :offset - 1),
                             lost AS (DELETE FROM events.outbox_inbox_offset WHERE :offset = 0)
                        UPDATE events.outbox_inbox_offset SET next_offset = :offset WHERE partition = 0 AND :offset > 0
                        """).param("offset", offset).update();
    }

    private void expireOffsets() throws Exception {
        try (Admin admin = admin()) {
            awaitNoMembers(admin);
            admin.deleteConsumerGroupOffsets(topic, Set.of(new TopicPartition(topic, 0)))
                    .all()
                    .get();
        }
    }

    private void awaitNoMembers(Admin admin) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> admin.describeConsumerGroups(List.of(topic))
                        .all()
                        .get()
                        .get(topic)
                        .members()
                        .isEmpty());
    }

    private void setOffset(long offset) throws Exception {
        try (Admin admin = admin()) {
            awaitNoMembers(admin);
            admin.alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(offset)))
                    .all()
                    .get();
        }
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", TestKafka.bootstrapServers()));
    }

    private void send(long first, long end) {
        LongStream.range(first, end)
                .forEach((n) -> producer.send(TestRecord.of("1", n).to(topic)));
        producer.flush();
    }

    private void awaitStored(long events) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(stored())
                        .isEqualTo(LongStream.range(0, events).boxed().toList()));
    }

    /** Sequences of the events in the order in which they are handled. */
    private List<Long> stored() {
        return receiver.sql()
                .sql("SELECT aggregate_seq FROM events.outbox ORDER BY id")
                .query(Long.class)
                .list();
    }
}
