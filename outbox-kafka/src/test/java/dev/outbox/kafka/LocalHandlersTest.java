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
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers of the events that a route forwards, while Kafka fails. */
@Tag("full")
class LocalHandlersTest {

    private static final Duration PHASE = Duration.ofSeconds(10);
    /** Twice the bar, for a busy machine. A handler that waits for Kafka needs seconds. */
    private static final Duration LOCAL_HANDLER = Duration.ofMillis(500);

    private static final Duration HALF_A_ROUND_TRIP = Duration.ofMillis(1500);

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void continueWhileKafkaIsAwayOrSlow(int concurrency) {
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
                requireQuick(shop, "refused");
                network.heal();
                shop.awaitHandled();

                network.blackHole();
                requireQuick(shop, "black hole");
                network.heal();
                shop.awaitHandled();

                network.delay(HALF_A_ROUND_TRIP);
                requireQuick(shop, "round trip of 3 s");
                network.heal();
                shop.awaitHandled();

                shop.publish("Other", PHASE);
                assertThat(shop.p99OfLocalHandler())
                        .as("topic of another route is missing")
                        .isLessThan(LOCAL_HANDLER);
                cluster.createTopic("missing", 1);
                shop.awaitHandled();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void continueWithoutCredential(int concurrency) {
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
                requireQuick(shop, "no credential");
                cluster.setPassword("shop", "secret");
                shop.awaitHandled();
            }
        }
    }

    private static void requireQuick(Shop shop, String fault) {
        shop.publish("Order", PHASE);
        assertThat(shop.p99OfLocalHandler()).as(fault).isLessThan(LOCAL_HANDLER);
    }
}
