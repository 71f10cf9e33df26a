package dev.outbox.modulith.externalization;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.InvalidEventException;
import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.modulith.externalization.Shop.CustomerMoved;
import dev.outbox.modulith.externalization.Shop.OrderArchived;
import dev.outbox.modulith.externalization.Shop.OrderLost;
import dev.outbox.modulith.externalization.Shop.OrderPlaced;
import dev.outbox.modulith.externalization.Shop.OrderRouted;
import dev.outbox.modulith.externalization.Shop.OrderSeen;
import dev.outbox.modulith.externalization.Shop.OrderShipped;
import dev.outbox.modulith.externalization.Shop.OrderTagged;
import dev.outbox.modulith.externalization.Shop.Orders;
import dev.outbox.modulith.externalization.Shop.SaleAnnounced;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** From {@code publishEvent} to the consumer of a topic, with a real broker and a real database. */
@ExtendWith(OutputCaptureExtension.class)
class ExternalizationTest {

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private static KafkaCluster kafka;
    private static TestDatabase database;
    private static ConfigurableApplicationContext application;
    private static Orders orders;

    @BeforeAll
    static void start() {
        kafka = KafkaCluster.start(1);
        kafka.createTopic("orders", 3);
        kafka.createTopic("news", 1);
        kafka.createTopic("customer", 1);
        database = TestPostgres.shared().newDatabase();
        application = Shop.start(
                database,
                "--spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "--outbox.kafka.routes.modulith.aggregate-types=orders,customer,unordered",
                "--outbox.kafka.routes.modulith.topic={aggregateType}");
        orders = application.getBean(Orders.class);
    }

    @AfterAll
    static void stop() {
        application.close();
        database.close();
        kafka.close();
    }

    @Test
    void consumerGetsMappedEventsInOrderOfEachKey() {
        for (int number = 1; number <= 20; number++) {
            orders.publish(new OrderPlaced("ann", number), new OrderPlaced("bob", number));
        }

        for (String customer : List.of("ann", "bob")) {
            List<ConsumerRecord<String, String>> records = read("orders", customer, 20);
            assertThat(records)
                    .extracting(ConsumerRecord::value)
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, 20)
                            .mapToObj((number) -> "{\"buyer\":\"" + customer + "\",\"order\":" + number + "}")
                            .toList());
            assertThat(headers(records.get(19)))
                    .containsEntry("order", "20")
                    .containsEntry("ce_type", "OrderPlaced")
                    .containsEntry("ce_aggregatetype", "orders")
                    .containsEntry("ce_subject", customer)
                    .doesNotContainKey("modulith-class");
        }
    }

    @Test
    void originalEventIsStoredOnce() {
        orders.publish(new OrderPlaced("cid", 7), new OrderSeen(7));

        assertThat(stored("OrderSeen")).isEmpty();
        assertThat(sql().sql(
                                "SELECT payload ->> 'number' FROM events.outbox WHERE aggregate_type = 'orders' AND aggregate_id = 'cid'")
                        .query(String.class)
                        .list())
                .containsExactly("7");
    }

    @Test
    void eventWithoutKeyGoesToItsTarget() {
        orders.publish(new SaleAnnounced("half price"));

        ConsumerRecord<String, String> record = read("news", null, 1).get(0);

        assertThat(record.value()).isEqualTo("{\"text\": \"half price\"}");
        assertThat(headers(record)).containsEntry("ce_aggregatetype", "news");
    }

    @Test
    void mappingMayReturnMessage() {
        orders.publish(new OrderShipped("dan"));

        ConsumerRecord<String, String> record = read("orders", "dan", 1).get(0);

        assertThat(record.value()).isEqualTo("{\"shipped\":true}");
        assertThat(headers(record)).containsEntry("carrier", "post").doesNotContainKeys("id", "timestamp");
    }

    @Test
    void headersAreTexts() {
        orders.publish(new OrderTagged("ce_type"));

        assertThat(headers(read("orders", "ce_type", 1).get(0)))
                .containsEntry("tag", "ce_type")
                .containsEntry("ce_type", "OrderTagged")
                .doesNotContainKey("none");
    }

    @Test
    void reservedHeaderIsDeadLetter() {
        orders.publish(new OrderTagged("origin"));

        assertThat(deadLetter("orders/origin"))
                .isEqualTo("the header 'origin' of the mapped " + OrderTagged.class.getName()
                        + " is reserved; rename it, then retry the dead letter");
    }

    @ParameterizedTest
    @CsvSource({"'',1", ",1", "orders,"})
    void eventIsRefusedWithoutTargetOrIfItsKeyFails(String target, String key) {
        assertThatThrownBy(() -> orders.publish(new OrderRouted(target, key)))
                .isInstanceOf(InvalidEventException.class)
                .hasMessage("the target or key of the externalized event " + OrderRouted.class.getName()
                        + " cannot be determined; correct its expressions, which see the event before any mapping")
                .hasCauseInstanceOf(RuntimeException.class);
    }

    @Test
    void markDeterminesAggregate() {
        orders.publish(new CustomerMoved("c-1", "eve"));

        assertThat(stored("CustomerMoved")).containsExactly("customer/c-1");
        assertThat(headers(read("customer", "c-1", 1).get(0))).doesNotContainKey("modulith-class");
    }

    @Test
    void nothingIsStoredWithoutCommit() {
        assertThatThrownBy(() -> orders.fail(new OrderPlaced("fay", 1))).hasMessage("rolled back");
        assertThatThrownBy(() -> orders.publishWithoutTransaction(new OrderPlaced("fay", 1)))
                .isInstanceOf(InvalidTransactionException.class)
                .hasMessageStartingWith("Spring event " + OrderPlaced.class.getName() + " was not stored: ");

        assertThat(stored("OrderPlaced")).doesNotContain("orders/fay");
    }

    @Test
    void failedMappingIsDeadLetter() {
        orders.publish(new OrderLost("gil"));

        assertThat(deadLetter("orders/gil"))
                .isEqualTo("the EventExternalizationConfiguration failed to map " + OrderLost.class.getName()
                        + ": java.lang.IllegalStateException; correct it, then retry the dead letter");
    }

    @Test
    void eventOfMissingClassIsDeadLetter() {
        publish(OutboxEvent.of("orders", "hal", new OrderSeen(1))
                .withEventType("OrderForgotten")
                .withHeader("modulith-class", "dev.outbox.Forgotten"));

        assertThat(deadLetter("orders/hal"))
                .isEqualTo(
                        "this application has no class dev.outbox.Forgotten to map the event with; deploy a version that"
                                + " has it, then retry the dead letter");
    }

    @Test
    void eventThatItsClassCannotReadIsDeadLetter() {
        publish(OutboxEvent.of("orders", "ivy", Map.of("number", "many"))
                .withEventType("OrderGarbled")
                .withHeader("modulith-class", OrderSeen.class.getName()));

        assertThat(deadLetter("orders/ivy"))
                .startsWith("the event cannot be read as " + OrderSeen.class.getName() + " to map it: ");
    }

    @Test
    void eventThatNoRouteTakesIsReported(CapturedOutput output) {
        orders.publish(new OrderArchived(1));

        await().atMost(DEADLINE)
                .untilAsserted(() -> assertThat(output).contains("No instance has a handler for OrderArchived["));
    }

    private static void publish(OutboxEvent event) {
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(
                        (status) -> application.getBean(OutboxPublisher.class).publish(event));
    }

    private static JdbcClient sql() {
        return application.getBean(JdbcClient.class);
    }

    private static List<String> stored(String eventType) {
        return sql().sql("SELECT aggregate_type || '/' || aggregate_id FROM events.outbox WHERE event_type = ?")
                .param(eventType)
                .query(String.class)
                .list();
    }

    private static String deadLetter(String aggregate) {
        UUID event = sql().sql("SELECT event_id FROM events.outbox WHERE aggregate_type || '/' || aggregate_id = ?")
                .param(aggregate)
                .query(UUID.class)
                .single();
        OutboxOperations operations = application.getBean(OutboxOperations.class);
        return await().atMost(DEADLINE)
                .until(
                        () -> operations.find(DeliverySelection.delivery(event, "kafka-modulith"), 1),
                        (found) -> found.stream()
                                .anyMatch((delivery) -> delivery.state().status() == DeliveryStatus.DEAD))
                .get(0)
                .attempts()
                .lastFailure()
                .message();
    }

    private static List<ConsumerRecord<String, String>> read(String topic, String key, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map((partition) -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            await().atMost(DEADLINE).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach((record) -> {
                    if (key == null || key.equals(record.key())) {
                        records.add(record);
                    }
                });
                return records.size() >= count;
            });
        }
        return records;
    }

    private static Map<String, String> headers(ConsumerRecord<?, ?> record) {
        Map<String, String> headers = new HashMap<>();
        for (Header header : record.headers()) {
            headers.put(header.key(), new String(header.value(), UTF_8));
        }
        return headers;
    }
}
