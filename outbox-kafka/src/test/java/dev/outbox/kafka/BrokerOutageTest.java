package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** A forwarder whose broker is away for longer than its attempts would last. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class BrokerOutageTest {

    private static final int ORDERS = 10;
    private static final int EVENTS = 40;

    record OrderPlaced(int number) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {}

    @Test
    void backlogWaitsWithoutDeadLettersAndArrivesInOrder(CapturedOutput output) {
        TestKafka.createTopic("outage", Map.of());
        String[] broker = TestKafka.bootstrapServers().split(",")[0].split(":");
        try (TestDatabase database = TestPostgres.shared().newDatabase();
                TcpProxy network = TcpProxy.to(broker[0], Integer.parseInt(broker[1]))) {
            network.refuse();
            try (ConfigurableApplicationContext shop = start(database, network)) {
                publish(shop);
                OutboxRuntime runtime = shop.getBean(OutboxRuntime.class);
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> runtime.openCircuits().equals(Set.of("kafka-orders")));
                awaitProbes(shop);
                network.heal();

                List<ConsumerRecord<String, String>> records = TestKafka.read("outage", EVENTS, (record) -> true);
                for (int order = 0; order < ORDERS; order++) {
                    String key = "outage-" + order;
                    assertThat(records.stream()
                                    .filter((record) -> record.key().equals(key))
                                    .map(BrokerOutageTest::sequence)
                                    .distinct())
                            .containsExactly("1", "2", "3", "4");
                }
                OutboxOperations operations = shop.getBean(OutboxOperations.class);
                assertThat(operations
                                .count(DeliverySelection.all().withStatus(DeliveryStatus.DEAD))
                                .value())
                        .isZero();
                await().until(() -> runtime.openCircuits().isEmpty());
            }
        }
        assertThat(output)
                .containsOnlyOnce("Route orders cannot send to Kafka")
                .doesNotContain("kafka-orders failed", "RetryAfterException");
    }

    private static ConfigurableApplicationContext start(TestDatabase database, TcpProxy network) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.application.name=shop",
                        "--outbox.forwarding.source=/shop",
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.kafka.bootstrap-servers=localhost:" + network.port(),
                        "--outbox.retry.delays=100ms",
                        "--outbox.retry.max-attempts=1",
                        "--outbox.poller.interval=200ms",
                        "--outbox.handlers.kafka-orders.circuit.failures=5",
                        "--outbox.handlers.kafka-orders.circuit.probe-interval=300ms",
                        "--outbox.kafka.producer.properties[max.block.ms]=300",
                        "--outbox.kafka.producer.properties[reconnect.backoff.max.ms]=200",
                        "--outbox.kafka.routes.orders.aggregate-types=Order",
                        "--outbox.kafka.routes.orders.topic=outage");
    }

    private static void publish(ConfigurableApplicationContext shop) {
        OutboxPublisher publisher = shop.getBean(OutboxPublisher.class);
        shop.getBean(TransactionTemplate.class)
                .executeWithoutResult((status) -> publisher.publishAll(IntStream.range(0, EVENTS)
                        .mapToObj((number) ->
                                OutboxEvent.of("Order", "outage-" + number % ORDERS, new OrderPlaced(number)))
                        .toList()));
    }

    /** Waits until an event has had more attempts than it may fail. */
    private static void awaitProbes(ConfigurableApplicationContext shop) {
        JdbcClient sql = shop.getBean(JdbcClient.class);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> sql.sql(
                                "SELECT max(attempt_count) >= 2 AND max(retry_count) = 0 FROM events.outbox_delivery")
                        .query(Boolean.class)
                        .single());
    }

    private static String sequence(ConsumerRecord<String, String> record) {
        return new String(record.headers().lastHeader("ce_sequence").value());
    }
}
