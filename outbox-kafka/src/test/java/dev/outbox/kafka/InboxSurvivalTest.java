package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.internal.HealthDetails;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** An inbox whose consumers end, or that an operator pauses. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class InboxSurvivalTest {

    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static final List<EventEnvelope> HANDLED = new CopyOnWriteArrayList<>();
    private static final AtomicInteger FATAL_POLLS = new AtomicInteger();
    private static final AtomicInteger PAUSED_CONSUMERS = new AtomicInteger();

    private final String topic = "surviving-" + TOPICS.incrementAndGet();
    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private ConfigurableApplicationContext application;
    private KafkaProducer<byte[], byte[]> producer;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        HandlerDefinition recorder() {
            return HandlerDefinition.of("recorder", Set.of("OrderPlaced"), (EventEnvelope event) -> HANDLED.add(event));
        }

        @Bean
        DefaultKafkaConsumerFactoryCustomizer failing() {
            return InboxSurvivalTest::addFaults;
        }
    }

    @SuppressWarnings("unchecked")
    private static <K, V> void addFaults(DefaultKafkaConsumerFactory<K, V> factory) {
        factory.addPostProcessor((consumer) -> (Consumer<K, V>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("poll") && FATAL_POLLS.getAndUpdate((n) -> Math.max(0, n - 1)) > 0) {
                        throw new OutOfMemoryError("no memory for a poll");
                    }
                    try {
                        Object result = method.invoke(consumer, arguments);
                        if (method.getName().equals("pause")) {
                            PAUSED_CONSUMERS.incrementAndGet();
                        }
                        return result;
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                }));
    }

    @BeforeEach
    void start() {
        HANDLED.clear();
        TestKafka.createTopic(topic, Map.of());
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", TestKafka.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
                        "--outbox.kafka.inboxes.shop.topics=" + topic,
                        "--outbox.kafka.inboxes.shop.group=" + topic);
        send(1);
        awaitHandled(1L);
    }

    @AfterEach
    void stop() {
        FATAL_POLLS.set(0);
        application.close();
        producer.close();
        database.close();
    }

    @Test
    void errorInAPollDoesNotEndTheInbox(CapturedOutput output) {
        FATAL_POLLS.set(1);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(application
                                .getBean("outboxKafkaInboxLifecycle", HealthDetails.class)
                                .get())
                        .hasToString("{stoppedInboxes={shop=java.lang.OutOfMemoryError: no memory for a poll}}"));
        send(2);
        awaitHandled(1L, 2L);
        await().until(() -> application
                .getBean("outboxKafkaInboxLifecycle", HealthDetails.class)
                .get()
                .isEmpty());
        assertThat(output).contains("Inbox shop cannot receive");
    }

    @Test
    void everyInstanceSeesThatAnInboxHasStopped() {
        FATAL_POLLS.set(1000);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(application
                                .getBean(OutboxInspector.class)
                                .overview()
                                .instances())
                        .singleElement()
                        .satisfies((instance) -> assertThat(instance.stoppedInboxes())
                                .containsExactly("shop: java.lang.OutOfMemoryError: no memory for a poll")));
    }

    @Test
    void pausedInboxReceivesNothingUntilItResumes(CapturedOutput output) {
        OutboxOperations operations = application.getBean(OutboxOperations.class);
        int before = PAUSED_CONSUMERS.get();
        operations.pauseHandler("kafka-inbox-shop", "ann", "migration");
        await().atMost(Duration.ofMinutes(1)).until(() -> PAUSED_CONSUMERS.get() > before);

        FATAL_POLLS.set(1);
        send(2);
        await().atMost(Duration.ofMinutes(1)).until(() -> output.toString().contains("Inbox shop receives again"));
        assertThat(HANDLED).hasSize(1);

        operations.resumeHandler("kafka-inbox-shop", "ann", "done");
        awaitHandled(1L, 2L);
    }

    @Test
    void inboxOfAnotherFormatStaysPausedAfterARestart(CapturedOutput output) {
        for (int n = 0; n < 250; n++) {
            producer.send(TestRecord.of("1", n).without("ce_type").to(topic));
        }
        producer.flush();
        await().atMost(Duration.ofMinutes(1)).until(() -> output.toString().contains("Inbox shop pauses itself"));
        awaitPause();
        SmartLifecycle consumers = application.getBean("outboxKafkaInboxLifecycle", SmartLifecycle.class);
        consumers.stop();
        consumers.start();
        awaitPause();
        assertThat(refused()).isEqualTo(100);

        application.getBean(OutboxOperations.class).resumeHandler("kafka-inbox-shop", "ann", "try again");
        await().atMost(Duration.ofMinutes(1)).until(() -> refused() == 200);
    }

    private void awaitPause() {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(application
                                .getBean("outboxKafkaInboxLifecycle", HealthDetails.class)
                                .get())
                        .hasToString(
                                "{stoppedInboxes={shop=its handler is paused, for the reason in the operation log}}"));
    }

    private long refused() {
        return application
                .getBean(JdbcClient.class)
                .sql("SELECT count(*) FROM events.outbox WHERE event_type = 'outbox.KafkaRecord'")
                .query(Long.class)
                .single();
    }

    private void send(long sequence) {
        producer.send(TestRecord.of("1", sequence).to(topic));
        producer.flush();
    }

    private static void awaitHandled(Long... sequences) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(HANDLED).extracting(EventEnvelope::sequence).containsExactly(sequences));
    }
}
