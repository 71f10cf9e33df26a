package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.kafka.fixture.Shop;
import dev.outbox.testing.SourceTree;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stop with a route and an inbox of three consumers while Kafka is away takes no longer than the page of deployments says. */
@Tag("full")
class StopWithoutBrokerTest {

    private static final int LONGEST_SECONDS = 17;

    /** What happens to the network, and for how long before the stop. */
    enum Fault {
        REFUSED(1),
        SILENT(1),
        SILENT_FOR_LONG(25);

        private final Duration lasts;

        Fault(int seconds) {
            this.lasts = Duration.ofSeconds(seconds);
        }
    }

    @ParameterizedTest
    @EnumSource
    void takesAsLongAsThePageSays(Fault fault) {
        try (KafkaCluster cluster = KafkaCluster.startProxied(1);
                TestDatabase database = TestPostgres.shared().newDatabase()) {
            cluster.createTopic("orders", 6);
            cluster.createTopic("parts", 3);
            TcpProxy network = cluster.broker(1).proxy();
            Shop shop = Shop.start(
                    cluster.bootstrapServers(),
                    database,
                    "--outbox.kafka.inboxes.parts.topics=parts",
                    "--outbox.kafka.inboxes.parts.group=parts",
                    "--outbox.kafka.inboxes.parts.concurrency=3");
            shop.publish("Order", Duration.ofSeconds(2));
            shop.awaitHandled();
            if (fault == Fault.REFUSED) {
                network.refuse();
            } else {
                network.blackHole();
            }
            shop.publish("Order", fault.lasts);

            long begun = System.nanoTime();
            shop.close();

            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(LONGEST_SECONDS));
        }
    }

    @Test
    void pageSaysHowLong() {
        assertThat(SourceTree.read(SourceTree.ROOT.resolve("docs/deployment.md")))
                .contains("| Kafka refuses connections, or is silent | at most " + LONGEST_SECONDS + " |");
    }
}
