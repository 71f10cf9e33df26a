package dev.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.spring.internal.HealthDetails;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An application whose topics lose records, are created again or get partitions. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class LostRecordsTest {

    private static final List<String> INBOXES = List.of("overtaken", "again", "replaced", "legacy", "booked");
    private static final List<EventEnvelope> HANDLED = new CopyOnWriteArrayList<>();
    private static final TestDatabase DATABASE = TestPostgres.shared().newDatabase();

    private static ConfigurableApplicationContext application;
    private static KafkaProducer<byte[], byte[]> producer;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        HandlerDefinition recorder() {
            return HandlerDefinition.of("recorder", Set.of("OrderPlaced"), (EventEnvelope event) -> HANDLED.add(event));
        }

        @Bean
        InboxRecordMapper withoutSequences() {
            return (record) -> OutboxEvent.of(
                            "legacy",
                            new String(record.key(), UTF_8),
                            Integer.valueOf(new String(record.value(), UTF_8)))
                    .withEventType("OrderPlaced");
        }
    }

    @BeforeAll
    static void start() {
        INBOXES.forEach((topic) -> TestKafka.createTopic(topic, topic.equals("legacy") ? 1 : 3));
        producer = producer(Map.of());
        SpringApplicationBuilder builder = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE);
        INBOXES.forEach((topic) -> builder.properties(
                "outbox.kafka.inboxes." + topic + ".topics=" + topic,
                "outbox.kafka.inboxes." + topic + ".group=" + topic));
        application = builder.run(
                "--spring.datasource.url=" + DATABASE.jdbcUrl(),
                "--spring.datasource.username=" + DATABASE.username(),
                "--spring.datasource.password=" + DATABASE.password(),
                "--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
                "--outbox.kafka.inboxes.legacy.mapper=withoutSequences");
    }

    @AfterAll
    static void stop() {
        application.close();
        producer.close();
        DATABASE.close();
    }

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", TestKafka.bootstrapServers());
        config.put("max.in.flight.requests.per.connection", 1);
        config.put("metadata.max.age.ms", 500);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Test
    void partitionThatRetentionOvertakesStopsUntilAnOperatorDecides(CapturedOutput output) {
        OutboxOperations operations = application.getBean(OutboxOperations.class);
        send("overtaken", 0, 1);
        awaitHandled("overtaken", 0, 1);
        // A consumer that has not read yet has no records in its buffer.
        restart(() -> operations.pauseHandler("kafka-inbox-overtaken", "ann", "migration"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> output.toString().contains("Inbox overtaken pauses with its handler"));
        send("overtaken", 1, 11);
        ProducerRecord<byte[], byte[]> other = TestRecord.of("other", 1).to("overtaken");
        producer.send(new ProducerRecord<>("overtaken", 1, other.key(), other.value(), other.headers()));
        TestKafka.deleteRecords("overtaken", 6);
        operations.resumeHandler("kafka-inbox-overtaken", "ann", "done");

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(sequences("other")).containsExactly(1L));
        String problem = "overtaken-0 is stored up to offset 1, but Kafka has removed the records before offset 6;"
                + " OutboxOperations.resumeInbox decides where it continues";
        awaitStopped("{overtaken=" + problem + "}");
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(application
                                .getBean(OutboxInspector.class)
                                .overview()
                                .instances())
                        .singleElement()
                        .satisfies((instance) ->
                                assertThat(instance.stoppedInboxes()).containsExactly("overtaken: " + problem)));
        restart(() -> {});
        awaitStopped("{overtaken=" + problem + "}");
        assertThat(sequences("overtaken")).containsExactly(0L);

        operations.resumeInbox("overtaken", InboxStart.EARLIEST, "ann", "the lost orders are entered by hand");
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(sequences("overtaken")).containsExactly(0L, 6L, 7L, 8L, 9L, 10L));
        assertThat(application
                        .getBean("outboxKafkaInboxLifecycle", HealthDetails.class)
                        .get())
                .isEmpty();
        assertThat(operations.operations(OperationSelection.ofHandler("kafka-inbox-overtaken"), 1))
                .extracting(Operation::action, Operation::reason)
                .containsExactly(tuple("RESUME_INBOX_EARLIEST", "the lost orders are entered by hand"));
        assertThat(output).containsOnlyOnce("Inbox overtaken stops a partition, because events are lost");
    }

    @Test
    void topicCreatedAgainIsReadFromItsBeginning(CapturedOutput output) {
        send("again", 0, 10);
        awaitHandled("again", 0, 10);

        createAgain("again", 3);
        send("again", 10, 70);
        awaitHandled("again", 0, 70);
        assertThat(output).contains("the topic of again-0 was created again, and is received from its beginning");
    }

    @Test
    void topicCreatedAgainWhileTheInboxIsStoppedIsReadFromItsBeginning() {
        send("replaced", 0, 10);
        awaitHandled("replaced", 0, 10);

        restart(() -> {
            createAgain("replaced", 3);
            send("replaced", 10, 70);
        });
        awaitHandled("replaced", 0, 70);
    }

    @Test
    void offsetsOfOtherPartitionsAndTopicsAreNotCompared() {
        sendLegacy(0, 100);
        awaitLegacy(100);
        restart(() -> TestKafka.addPartitions("legacy", 4));
        sendLegacy(100, 200);
        awaitLegacy(200);

        restart(() -> createAgain("legacy", 4));
        sendLegacy(200, 300);
        awaitLegacy(300);
        assertThat(application
                        .getBean(OutboxOperations.class)
                        .count(DeliverySelection.all().ofHandler("kafka-inbox-legacy"))
                        .value())
                .isZero();
    }

    /** Sends numbered records of ten aggregates without sequences. */
    private static void sendLegacy(int first, int end) {
        for (int n = first; n < end; n++) {
            producer.send(
                    new ProducerRecord<>("legacy", ("legacy-" + n % 10).getBytes(UTF_8), ("" + n).getBytes(UTF_8)));
        }
        producer.flush();
    }

    private static void awaitLegacy(int end) {
        for (int aggregate = 0; aggregate < 10; aggregate++) {
            String id = "legacy-" + aggregate;
            List<String> numbers = IntStream.iterate(aggregate, (n) -> n < end, (n) -> n + 10)
                    .mapToObj(Integer::toString)
                    .toList();
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(HANDLED)
                            .filteredOn((event) -> event.aggregateId().equals(id))
                            .extracting(EventEnvelope::payload)
                            .isEqualTo(numbers));
        }
    }

    @Test
    void markersOfTransactionsAreNoLostRecords() {
        try (KafkaProducer<byte[], byte[]> transactional = producer(Map.of("transactional.id", "booked"))) {
            transactional.initTransactions();
            transactional.beginTransaction();
            LongStream.range(0, 5)
                    .forEach(
                            (n) -> transactional.send(TestRecord.of("booked", n).to("booked")));
            transactional.commitTransaction();
        }
        awaitHandled("booked", 0, 5);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> JdbcClient.create(DATABASE.dataSource())
                        .sql(
                                "SELECT next_offset = 6 FROM events.outbox_inbox_offset WHERE topic = 'booked' AND partition = 0")
                        .query(Boolean.class)
                        .single());

        restart(() -> TestKafka.deleteRecords("booked", 6));
        send("booked", 5, 8);
        awaitHandled("booked", 0, 8);
    }

    private static void createAgain(String topic, int partitions) {
        TestKafka.deleteTopic(topic);
        TestKafka.createTopic(topic, partitions);
    }

    /** Restarts the inboxes, and does something while they are stopped. */
    private static void restart(Runnable meanwhile) {
        SmartLifecycle consumers = application.getBean("outboxKafkaInboxLifecycle", SmartLifecycle.class);
        consumers.stop();
        try {
            meanwhile.run();
        } finally {
            consumers.start();
        }
    }

    private static void awaitStopped(String inboxes) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(application
                                .getBean("outboxKafkaInboxLifecycle", HealthDetails.class)
                                .get())
                        .hasToString("{stoppedInboxes=" + inboxes + "}"));
    }

    private static void send(String topic, long first, long end) {
        LongStream.range(first, end)
                .forEach((n) -> producer.send(TestRecord.of(topic, n).to(topic)));
        producer.flush();
    }

    private static void awaitHandled(String aggregateId, long first, long end) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(sequences(aggregateId))
                        .isEqualTo(LongStream.range(first, end).boxed().toList()));
    }

    private static List<Long> sequences(String aggregateId) {
        return HANDLED.stream()
                .filter((event) -> event.aggregateId().equals(aggregateId))
                .map(EventEnvelope::sequence)
                .toList();
    }
}
