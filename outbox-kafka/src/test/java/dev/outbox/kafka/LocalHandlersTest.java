package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.kafka.fixture.Shop;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Handlers of the events that a route forwards, while Kafka fails. */
@Tag("full")
class LocalHandlersTest {

    private static final Duration PHASE = Duration.ofSeconds(10);
    private static final Duration HALF_A_ROUND_TRIP = Duration.ofMillis(1500);

    @ParameterizedTest
    @CsvSource({"1, 500", "4, 500"})
    void continueWhileKafkaIsAwayOrSlow(int concurrency, long p99Millis) {
        try (KafkaCluster cluster = KafkaCluster.startProxied(1);
                TestDatabase database = TestPostgres.shared().newDatabase()) {
            cluster.createTopic("orders", 6);
            TcpProxy network = cluster.broker(1).proxy();
            try (Shop shop = Shop.start(
                    cluster.bootstrapServers(),
                    database,
                    "--outbox.poller.concurrency=" + concurrency,
                    "--outbox.kafka.routes.other.aggregate-types=Other",
                    "--outbox.kafka.routes.other.topic=missing")) {
                shop.publish("Order", Duration.ofSeconds(3));
                shop.awaitHandled();
                shop.p99OfLocalHandler();

                network.refuse();
                requireQuick(shop, "refused", p99Millis);
                network.heal();
                shop.awaitHandled();

                network.blackHole();
                requireQuick(shop, "black hole", p99Millis);
                network.heal();
                shop.awaitHandled();

                network.delay(HALF_A_ROUND_TRIP);
                requireQuick(shop, "round trip of 3 s", p99Millis);
                network.heal();
                shop.awaitHandled();

                shop.publish("Other", PHASE);
                Duration p99 = shop.p99OfLocalHandler();
                assertThat(p99).as("topic of another route is missing").isLessThan(Duration.ofMillis(p99Millis));
                cluster.createTopic("missing", 1);
                shop.awaitHandled();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 500", "4, 500"})
    void continueWithoutCredential(int concurrency, long p99Millis) {
        try (KafkaCluster cluster = KafkaCluster.startWithPasswords(1);
                TestDatabase database = TestPostgres.shared().newDatabase()) {
            cluster.createTopic("orders", 6);
            cluster.setPassword("shop", "secret");
            Stream<String> login = KafkaCluster.login("shop", "secret").entrySet().stream()
                    .map((property) -> "--spring.kafka.properties[" + property.getKey() + "]=" + property.getValue());
            try (Shop shop = Shop.start(
                    cluster.bootstrapServers(),
                    database,
                    Stream.concat(login, Stream.of("--outbox.poller.concurrency=" + concurrency))
                            .toArray(String[]::new))) {
                shop.publish("Order", Duration.ofSeconds(3));
                shop.awaitHandled();
                shop.p99OfLocalHandler();

                cluster.removePassword("shop");
                requireQuick(shop, "no credential", p99Millis);
                cluster.setPassword("shop", "secret");
                shop.awaitHandled();
            }
        }
    }

    private static void requireQuick(Shop shop, String fault, long p99Millis) {
        shop.publish("Order", PHASE);
        Duration p99 = shop.p99OfLocalHandler();
        assertThat(p99).as(fault).isLessThan(Duration.ofMillis(p99Millis));
    }
}
