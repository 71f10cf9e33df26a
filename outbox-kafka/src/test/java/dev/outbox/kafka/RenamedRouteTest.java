package dev.outbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

/** A route that gets another name while its events wait. */
@Tag("full")
class RenamedRouteTest {

    private static final Duration DEADLINE = Duration.ofMinutes(1);

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {}

    @Test
    void waitingEventsMoveToRenamedRouteInOrder() {
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            try (ConfigurableApplicationContext shop = start(database, "orders")) {
                publish(shop, 5);
                await().atMost(DEADLINE).until(() -> waiting(shop, "kafka-orders") > 0);
            }

            TestKafka.createTopic("renamed", Map.of());
            try (ConfigurableApplicationContext shop =
                    start(database, "sales", "--outbox.kafka.routes.sales.aliases=orders")) {
                publish(shop, 2);

                assertThat(TestKafka.read("renamed", 7, (record) -> true))
                        .extracting((record) -> new String(
                                record.headers().lastHeader("ce_sequence").value(), UTF_8))
                        .containsExactly("1", "2", "3", "4", "5", "6", "7");
                await().atMost(DEADLINE).untilAsserted(() -> {
                    assertThat(waiting(shop, "kafka-orders")).isZero();
                    assertThat(waiting(shop, "kafka-sales")).isZero();
                });
            }
        }
    }

    private static ConfigurableApplicationContext start(TestDatabase database, String route, String... more) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "outbox.forwarding.source=/shop",
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
                        "outbox.poller.interval=200ms",
                        "outbox.kafka.producer.properties[max.block.ms]=300",
                        "outbox.kafka.routes." + route + ".aggregate-types=Order",
                        "outbox.kafka.routes." + route + ".topic=renamed")
                .run(more);
    }

    private static void publish(ConfigurableApplicationContext shop, int count) {
        OutboxPublisher publisher = shop.getBean(OutboxPublisher.class);
        shop.getBean(TransactionTemplate.class)
                .executeWithoutResult((status) -> publisher.publishAll(IntStream.range(0, count)
                        .mapToObj((number) ->
                                OutboxEvent.of("Order", "1", Map.of()).withEventType("OrderPlaced"))
                        .toList()));
    }

    private static long waiting(ConfigurableApplicationContext shop, String handler) {
        return shop.getBean(OutboxOperations.class)
                .count(DeliverySelection.all().ofHandler(handler))
                .value();
    }
}
