package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.ServerSettings;
import dev.outbox.testing.SourceTree;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.storage.StringConverter;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** From a publisher through Debezium to an inbox, with the SQL and the connector of docs/debezium.md. */
@Tag("full")
class DebeziumTest {

    private static final String TOPIC = "shop.order";
    private static final int ORDERS = 20;
    private static final int CHANGES = 50;
    private static final Duration DEADLINE = Duration.ofMinutes(1);
    private static final String PAGE = SourceTree.read(SourceTree.ROOT.resolve("docs/debezium.md"));

    /** Ids of the events that the connector sent, in its order. */
    private static final List<UUID> SENT = new CopyOnWriteArrayList<>();

    private static TestPostgres server;
    private static TestDatabase database;
    private static TestDatabase receivingDatabase;
    private static ConfigurableApplicationContext shop;
    private static ConfigurableApplicationContext billing;
    private static KafkaProducer<byte[], byte[]> producer;

    @TempDir
    private static Path directory;

    private Connector connector;

    record OrderChanged(int number) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        final List<EventEnvelope> handled = new CopyOnWriteArrayList<>();

        @Bean
        HandlerDefinition recorder() {
            return HandlerDefinition.of(
                    "recorder", Set.of("OrderChanged"), (EventEnvelope event) -> handled.add(event));
        }
    }

    @BeforeAll
    static void start() throws SQLException {
        Awaitility.setDefaultTimeout(DEADLINE);
        server = TestPostgres.start(ServerSettings.fast().with("wal_level", "logical"));
        database = server.newDatabase();
        receivingDatabase = TestPostgres.shared().newDatabase();
        TestKafka.createTopic(TOPIC, Map.of());
        TestKafka.createTopic("__debezium-heartbeat.shop", Map.of());
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", TestKafka.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        shop = application(database);
        run(blocks("sql").get(0));
        run(blocks("sql").get(1));
        billing = application(
                receivingDatabase,
                "--outbox.kafka.inboxes.shop.topics=" + TOPIC,
                "--outbox.kafka.inboxes.shop.group=billing");
    }

    private static ConfigurableApplicationContext application(TestDatabase database, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("--spring.datasource.url=" + database.jdbcUrl());
        all.add("--spring.datasource.username=" + database.username());
        all.add("--spring.datasource.password=" + database.password());
        all.add("--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers());
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(all.toArray(String[]::new));
    }

    @BeforeEach
    void startConnector() {
        SENT.clear();
        connector = new Connector().awaitStreaming();
    }

    @AfterEach
    void stopConnector() throws IOException {
        connector.close();
    }

    @AfterAll
    static void stop() {
        Awaitility.reset();
        shop.close();
        billing.close();
        producer.close();
        receivingDatabase.close();
        server.close();
    }

    @Test
    void eachEventArrivesOnceInOrderWithItsHeaders() {
        List<UUID> published = new ArrayList<>();
        for (int change = 1; change <= CHANGES; change++) {
            for (int order = 1; order <= ORDERS; order++) {
                published.add(publish(order("" + order, change)
                        .withHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                        .withHeader("id", "\"é\"\n")));
            }
        }
        published.add(publish(order("unhandled", 1).withEventType("OrderAudited")));
        publish(OutboxEvent.of("payment", "received", new OrderChanged(1))
                .withSequence(1L)
                .withEventId(UUID.randomUUID())
                .withOrigin("/payments"));
        awaitEmptyQueue();
        publish(order("scheduled", 1).deliverAfter(Duration.ZERO));
        awaitReceived("scheduled", 1);

        assertThat(SENT).startsWith(published.toArray(UUID[]::new)).hasSize(published.size() + 1);
        for (int order = 1; order <= ORDERS; order++) {
            List<EventEnvelope> received = awaitReceived("" + order, CHANGES);
            assertThat(received.stream().map(EventEnvelope::payload))
                    .isEqualTo(IntStream.rangeClosed(1, CHANGES)
                            .mapToObj((change) -> "{\"number\": " + change + "}")
                            .toList());
            assertThat(received)
                    .usingRecursiveFieldByFieldElementComparatorOnFields(
                            "eventId", "sequence", "occurredAt", "schemaVersion")
                    .isEqualTo(handledBy(shop, "" + order));
            assertThat(received)
                    .allSatisfy((event) -> assertThat(event.headers())
                            .containsExactlyInAnyOrderEntriesOf(Map.of(
                                    "traceparent",
                                    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                    "id",
                                    "\"é\"\n",
                                    "origin",
                                    "/shop")));
        }
        assertThat(billing.getBean(OutboxOperations.class)
                        .count(DeliverySelection.all().withStatus(DeliveryStatus.DEAD))
                        .value())
                .isZero();
    }

    @Test
    void connectorResumesAndStopsIfItsSlotIsLost() throws IOException, SQLException {
        publish(order("resumed", 1));
        awaitReceived("resumed", 1);
        connector.close();
        publish(order("resumed", 2));
        connector = new Connector().awaitStreaming();
        awaitReceived("resumed", 2);
        connector.close();

        run("SELECT pg_drop_replication_slot('outbox')");
        publish(order("resumed", 3));
        connector = new Connector();
        assertThat(connector.failure.join()).contains("no longer available on the server");
        connector.close();

        run("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
        Files.delete(directory.resolve("offsets"));
        connector = new Connector().awaitStreaming();
        publish(order("resumed", 4));
        assertThat(awaitReceived("resumed", 3))
                .extracting(EventEnvelope::sequence)
                .containsExactly(1L, 2L, 4L);
    }

    private static OutboxEvent order(String id, int change) {
        return OutboxEvent.of("order", id, new OrderChanged(change));
    }

    /** Returns the id, or null for a scheduled event. */
    private static @Nullable UUID publish(OutboxEvent event) {
        EventEnvelope published = shop.getBean(TransactionTemplate.class)
                .execute((status) -> shop.getBean(OutboxPublisher.class).publish(event));
        return published == null ? null : published.eventId();
    }

    private static void awaitEmptyQueue() {
        JdbcClient sql = JdbcClient.create(database.dataSource());
        await().until(() -> sql.sql("SELECT NOT EXISTS (SELECT FROM events.outbox_unpublished)")
                .query(Boolean.class)
                .single());
    }

    private static List<EventEnvelope> awaitReceived(String order, int events) {
        await().untilAsserted(() -> assertThat(handledBy(billing, order)).hasSize(events));
        return handledBy(billing, order);
    }

    private static List<EventEnvelope> handledBy(ConfigurableApplicationContext application, String order) {
        return application.getBean(Application.class).handled.stream()
                .filter((event) -> event.aggregateId().equals(order))
                .toList();
    }

    /** Returns the blocks of code of the page. */
    private static List<String> blocks(String language) {
        return Pattern.compile("(?sm)^ *```" + language + "\n(.*?)\n *```$")
                .matcher(PAGE)
                .results()
                .map((block) -> block.group(1))
                .toList();
    }

    private static void run(String sql) throws SQLException {
        try (Connection connection = database.as("postgres").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The connector of the page in an embedded engine, which hands its records to a producer as Connect does. */
    private static final class Connector implements AutoCloseable {

        final CompletableFuture<String> failure = new CompletableFuture<>();
        private final DebeziumEngine<?> engine;
        private final StringConverter text = new StringConverter();
        private final SimpleHeaderConverter header = new SimpleHeaderConverter();

        Connector() {
            Properties properties = new Properties();
            try {
                properties.load(new StringReader(blocks("properties").get(0)));
            } catch (IOException ex) {
                throw new AssertionError(ex);
            }
            URI address = URI.create(database.jdbcUrl().substring("jdbc:".length()));
            properties.put("database.hostname", address.getHost());
            properties.put("database.port", "" + address.getPort());
            properties.put("database.dbname", database.name());
            properties.put(
                    "offset.storage.file.filename", directory.resolve("offsets").toString());
            properties.put("offset.flush.interval.ms", "0");
            engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                    .using(properties)
                    .using((success, message, error) -> failure.complete(message + ": " + error))
                    .notifying((RecordChangeEvent<SourceRecord> change) -> send(change.record()))
                    .build();
            new Thread(engine, "connector").start();
        }

        Connector awaitStreaming() {
            JdbcClient sql = JdbcClient.create(database.dataSource());
            await().until(() -> {
                assertThat(failure).isNotDone();
                return sql.sql("SELECT count(*) FROM pg_replication_slots WHERE active")
                                .query(Long.class)
                                .single()
                        == 1;
            });
            return this;
        }

        private void send(SourceRecord record) {

            RecordHeaders headers = new RecordHeaders();
            record.headers()
                    .forEach((each) -> headers.add(
                            each.key(),
                            header.fromConnectHeader(record.topic(), each.key(), each.schema(), each.value())));
            producer.send(new ProducerRecord<>(
                    record.topic(),
                    null,
                    record.timestamp(),
                    text.fromConnectData(record.topic(), record.keySchema(), record.key()),
                    text.fromConnectData(record.topic(), record.valueSchema(), record.value()),
                    headers));
            if (record.topic().equals(TOPIC)) {
                SENT.add(UUID.fromString(Objects.requireNonNull(
                                record.headers().lastWithName("ce_id").value())
                        .toString()));
            }
        }

        @Override
        public void close() throws IOException {
            if (!failure.isDone()) {
                engine.close();
            }
            failure.join();
        }
    }
}
