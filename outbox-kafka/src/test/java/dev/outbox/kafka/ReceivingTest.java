package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaConsumerFactoryCustomizer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.ConsumerFactory;

/** An application with an inbox, on Kafka and on PostgreSQL behind a network that can fail. */
@ExtendWith(OutputCaptureExtension.class)
class ReceivingTest {

    private static final String NO_CONNECTION = "Outbox has no connection to the database";

    private static final String TOPIC = "received";
    private static final String GROUP = "receiver";
    private static final List<EventEnvelope> HANDLED = new CopyOnWriteArrayList<>();
    private static final Set<String> CREATED = ConcurrentHashMap.newKeySet();

    private static final TestDatabase DATABASE = TestPostgres.shared().newDatabase();
    private static TcpProxy network;
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
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        DefaultKafkaConsumerFactoryCustomizer listening() {
            return (factory) -> factory.addListener(new CreatedConsumers<>());
        }
    }

    /** Stands for what binds the meters of Kafka's clients. */
    static final class CreatedConsumers<K, V> implements ConsumerFactory.Listener<K, V> {

        @Override
        public void consumerAdded(String id, Consumer<K, V> consumer) {
            CREATED.add(id);
        }
    }

    @BeforeAll
    static void start() {
        URI server = URI.create(DATABASE.jdbcUrl().substring("jdbc:".length()));
        network = TcpProxy.to(server.getHost(), server.getPort());
        TestKafka.createTopic(TOPIC, Map.of());
        TestKafka.createTopic("strict", Map.of());
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", TestKafka.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url="
                                + DATABASE.jdbcUrl().replace(":" + server.getPort() + "/", ":" + network.port() + "/"),
                        "--spring.datasource.username=" + DATABASE.username(),
                        "--spring.datasource.password=" + DATABASE.password(),
                        "--spring.datasource.hikari.connection-timeout=1000",
                        "--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
                        "--spring.kafka.consumer.properties.session.timeout.ms=6000",
                        "--outbox.kafka.inboxes.shop.topics=" + TOPIC,
                        "--outbox.kafka.inboxes.shop.group=" + GROUP,
                        "--outbox.forwarding.source=/billing",
                        "--outbox.kafka.routes.own.event-types=*",
                        "--outbox.kafka.routes.own.topic=strict",
                        "--outbox.kafka.inboxes.strict.topics=strict",
                        "--outbox.kafka.inboxes.strict.group=strict",
                        "--outbox.kafka.inboxes.strict.unknown-types=dead-letter");
    }

    @AfterAll
    static void stop() {
        application.close();
        producer.close();
        network.close();
        DATABASE.close();
    }

    @Test
    void repeatedRecordsAreHandledOnceAndInOrder() {
        LongStream.range(0, 300).forEach((n) -> send(TestRecord.of("repeated-" + n % 5, n / 5)));
        awaitHandled("repeated-4", 60);

        SmartLifecycle consumers = application.getBean("outboxKafkaInboxLifecycle", SmartLifecycle.class);
        assertThat(consumers.getPhase())
                .isGreaterThan(application
                        .getBean("outboxLifecycle", SmartLifecycle.class)
                        .getPhase());
        consumers.stop();
        forgetOffsets();
        consumers.start();
        send(TestRecord.of("repeated-0", 60));
        awaitHandled("repeated-0", 61);

        for (int aggregate = 0; aggregate < 5; aggregate++) {
            assertThat(sequences("repeated-" + aggregate)).isSorted().doesNotHaveDuplicates();
        }
        assertThat(sequences("repeated-4")).hasSize(60);
        assertThat(application
                        .getBean(MeterRegistry.class)
                        .get("outbox.kafka.inbox")
                        .tags("inbox", "shop", "result", "dropped")
                        .counter()
                        .count())
                .isGreaterThanOrEqualTo(300);
        assertThat(CREATED).anyMatch((id) -> id.contains("kafka-inbox-shop"));
    }

    @Test
    void refusedRecordsDoNotStopTheirPartition() {
        send(TestRecord.of("after", 1));
        send(TestRecord.of("poison", 1).without("ce_specversion"));
        send(TestRecord.of("poison", 2).withValue("<order/>"));
        send(TestRecord.of("poison", 3).with("content-type", "application/cloudevents+json"));
        send(TestRecord.of("after", 2));

        awaitHandled("after", 2);
        OutboxOperations operations = application.getBean(OutboxOperations.class);
        DeliverySelection dead =
                DeliverySelection.all().ofHandler("kafka-inbox-shop").withStatus(DeliveryStatus.DEAD);
        await().until(() -> operations.count(dead).value() == 3);
        assertThat(operations.skip(dead, "ann", "poison").affected()).isEqualTo(3);
    }

    @Test
    void routeOfOwnEventsTakesNoReceivedOnes() {
        producer.send(TestRecord.of("unknown", 1).with("ce_type", "OrderLost").to("strict"));

        OutboxOperations operations = application.getBean(OutboxOperations.class);
        DeliverySelection dead =
                DeliverySelection.all().ofHandler("kafka-inbox-strict").withStatus(DeliveryStatus.DEAD);
        await().atMost(Duration.ofMinutes(1)).until(() -> operations.count(dead).value() == 1);
    }

    @Test
    void outageOfTheDatabaseLosesNothing(CapturedOutput output) {
        network.refuse();
        LongStream.range(0, 50).forEach((n) -> send(TestRecord.of("outage", n)));
        await().atMost(Duration.ofMinutes(1)).until(() -> output.toString().contains(NO_CONNECTION));
        network.heal();

        awaitHandled("outage", 50);
        assertThat(sequences("outage"))
                .isEqualTo(LongStream.range(0, 50).boxed().toList());
        assertThat(output).containsOnlyOnce(NO_CONNECTION).doesNotContain("cannot receive", "receives again");
    }

    private static void send(TestRecord record) {
        producer.send(record.to(TOPIC));
    }

    private static void forgetOffsets() {
        JdbcClient.create(DATABASE.dataSource())
                .sql("UPDATE events.outbox_inbox_offset SET next_offset = 0")
                .update();
    }

    private static void awaitHandled(String aggregateId, int events) {
        await().atMost(Duration.ofMinutes(1)).until(() -> sequences(aggregateId).size() == events);
    }

    private static List<Long> sequences(String aggregateId) {
        return HANDLED.stream()
                .filter((event) -> event.aggregateId().equals(aggregateId))
                .map(EventEnvelope::sequence)
                .toList();
    }
}
