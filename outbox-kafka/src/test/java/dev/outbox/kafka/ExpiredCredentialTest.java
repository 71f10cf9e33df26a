package dev.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.internal.HealthDetails;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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

/** A service whose credential a broker refuses for a while. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class ExpiredCredentialTest {

    private static final int MAX_ATTEMPTS = 2;
    private static final int AGGREGATES = 3;
    private static final Duration DEADLINE = Duration.ofMinutes(1);
    private static final String BEGIN = "Route orders cannot send to Kafka, so its events wait";
    private static final String END = "Route orders sends to Kafka again";

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {}

    @Test
    void eventsWaitForCredentialAndArriveInOrder(CapturedOutput output) {
        try (KafkaCluster cluster = KafkaCluster.startWithPasswords(1);
                TestDatabase database = TestPostgres.shared().newDatabase()) {
            cluster.createTopic("orders", 3);
            cluster.setPassword("shop", "secret");
            int last;
            try (ConfigurableApplicationContext shop = start(cluster, database)) {
                publish(shop, 1, 5);
                awaitForwarded(shop);

                cluster.removePassword("shop");
                last = publishUntilOneWaits(shop, 6);
                awaitMoreAttemptsThanMayFail(shop);
                await().atMost(DEADLINE)
                        .untilAsserted(
                                () -> assertThat(output).containsOnlyOnce(BEGIN).doesNotContain(END));
                assertThat(health(shop)).contains("failingRoutes={orders=");

                cluster.setPassword("shop", "secret");
                awaitForwarded(shop);
                assertThat(output).containsOnlyOnce(BEGIN).containsOnlyOnce(END);
                assertThat(health(shop)).doesNotContain("failingRoutes");
                assertThat(shop.getBean(OutboxOperations.class)
                                .count(DeliverySelection.all().withStatus(DeliveryStatus.DEAD))
                                .value())
                        .isZero();
            }
            List<Integer> all = IntStream.rangeClosed(1, last).boxed().toList();
            assertThat(sequences(cluster, last))
                    .hasSize(AGGREGATES)
                    .allSatisfy((aggregate, sequences) -> assertThat(sequences).containsExactlyElementsOf(all));
        }
    }

    private static ConfigurableApplicationContext start(KafkaCluster cluster, TestDatabase database) {
        Stream<String> login = KafkaCluster.login("shop", "secret").entrySet().stream()
                .map((property) -> "--spring.kafka.properties[" + property.getKey() + "]=" + property.getValue());
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run(Stream.concat(
                                login,
                                Stream.of(
                                        "--outbox.forwarding.source=/shop",
                                        "--spring.datasource.url=" + database.jdbcUrl(),
                                        "--spring.datasource.username=" + database.username(),
                                        "--spring.datasource.password=" + database.password(),
                                        "--spring.kafka.bootstrap-servers=" + cluster.bootstrapServers(),
                                        "--outbox.retry.delays=100ms",
                                        "--outbox.retry.max-attempts=" + MAX_ATTEMPTS,
                                        "--outbox.poller.interval=200ms",
                                        "--outbox.handlers.kafka-orders.circuit.failures=5",
                                        "--outbox.handlers.kafka-orders.circuit.probe-interval=300ms",
                                        "--outbox.kafka.producer.properties[max.block.ms]=1000",
                                        "--outbox.kafka.producer.properties[request.timeout.ms]=1000",
                                        "--outbox.kafka.producer.properties[delivery.timeout.ms]=2000",
                                        "--outbox.kafka.routes.orders.aggregate-types=Order",
                                        "--outbox.kafka.routes.orders.topic=orders"))
                        .toArray(String[]::new));
    }

    /** Publishes events with these sequences of each aggregate. */
    private static void publish(ConfigurableApplicationContext shop, int first, int last) {
        OutboxPublisher publisher = shop.getBean(OutboxPublisher.class);
        shop.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
            for (int sequence = first; sequence <= last; sequence++) {
                for (int aggregate = 0; aggregate < AGGREGATES; aggregate++) {
                    publisher.publish(OutboxEvent.of("Order", String.valueOf(aggregate), Map.of())
                            .withEventType("OrderPlaced"));
                }
            }
        });
    }

    /** Kafka trusts a connection until its session ends, a second at most. Returns the last sequence. */
    private static int publishUntilOneWaits(ConfigurableApplicationContext shop, int first) {
        AtomicInteger next = new AtomicInteger(first);
        await().atMost(DEADLINE).pollInterval(Duration.ofMillis(200)).until(() -> {
            publish(shop, next.get(), next.get());
            next.incrementAndGet();
            return shop.getBean(JdbcClient.class)
                    .sql("SELECT EXISTS (SELECT FROM events.outbox_delivery)")
                    .query(Boolean.class)
                    .single();
        });
        publish(shop, next.get(), next.get() + 9);
        return next.get() + 9;
    }

    private static void awaitForwarded(ConfigurableApplicationContext shop) {
        JdbcClient sql = shop.getBean(JdbcClient.class);
        await().atMost(DEADLINE)
                .until(() -> sql.sql("SELECT NOT EXISTS (SELECT FROM events.outbox WHERE status <> 'PUBLISHED')")
                        .query(Boolean.class)
                        .single());
    }

    private static void awaitMoreAttemptsThanMayFail(ConfigurableApplicationContext shop) {
        OutboxOperations operations = shop.getBean(OutboxOperations.class);
        await().atMost(DEADLINE)
                .until(() -> shop.getBean(JdbcClient.class)
                        .sql("SELECT coalesce(max(attempt_count), 0) > :attempts FROM events.outbox_delivery")
                        .param("attempts", MAX_ATTEMPTS)
                        .query(Boolean.class)
                        .single());
        assertThat(operations.find(DeliverySelection.all(), 100)).isNotEmpty().allSatisfy((delivery) -> {
            assertThat(delivery.state().status()).isNotEqualTo(DeliveryStatus.DEAD);
            assertThat(delivery.attempts().failed()).isZero();
        });
    }

    private static String health(ConfigurableApplicationContext shop) {
        return shop.getBean(HealthDetails.class).get().toString();
    }

    /** Returns the sequences of each aggregate in the order of its records; a repeated record counts once. */
    private static Map<String, List<Integer>> sequences(KafkaCluster cluster, int last) {
        Map<String, Object> config = new HashMap<>(KafkaCluster.login("shop", "secret"));
        config.put("bootstrap.servers", cluster.bootstrapServers());
        Set<String> ids = new HashSet<>();
        return TestKafka.read(config, "orders", last * AGGREGATES, (record) -> ids.add(header(record, "ce_id")))
                .stream()
                .collect(Collectors.groupingBy(
                        ConsumerRecord::key,
                        Collectors.mapping(
                                (record) -> Integer.parseInt(header(record, "ce_sequence")), Collectors.toList())));
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }
}
