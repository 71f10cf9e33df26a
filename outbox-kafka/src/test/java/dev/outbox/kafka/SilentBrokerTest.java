package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.kafka.fixture.Shop;
import dev.outbox.testing.ServerSettings;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Kafka does not answer for longer than a circuit needs to open, while 200 events a second of 1,000 aggregates come. */
@Tag("full")
class SilentBrokerTest {

    private static final int AGGREGATES = 1000;
    private static final int TOGETHER = 10;
    private static final int WINDOWS = 3;
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final Duration LOCAL_HANDLER = Duration.ofMillis(250);

    /** An event that waits takes a settlement in a lane, and a claim after it. */
    private static final int MORE_STATEMENTS = 4;

    /** Those of 50 messages of each partition, and of what is just claimed. */
    private static final int MOST_CLAIMS = 400;

    @Test
    void costsLittleAndIsMadeUpForInOrder() {
        try (KafkaCluster cluster = KafkaCluster.startProxied(1);
                TestPostgres server = TestPostgres.start(
                        ServerSettings.fast().with("shared_preload_libraries", "pg_stat_statements"));
                TestDatabase database = server.newDatabase()) {
            cluster.createTopic("orders", 6);
            JdbcClient sql = JdbcClient.create(database.as("postgres"));
            sql.sql("CREATE EXTENSION pg_stat_statements").update();
            int published;
            try (Shop shop = Shop.start(cluster.bootstrapServers(), database)) {
                shop.publish("Order", AGGREGATES, TOGETHER, Duration.ofSeconds(3));
                shop.awaitHandled();
                long healthy = statements(shop, sql);
                shop.p99OfLocalHandler();

                cluster.broker(1).proxy().blackHole();
                for (int window = 0; window < WINDOWS; window++) {
                    assertThat(statements(shop, sql)).as("statements").isLessThan(MORE_STATEMENTS * healthy);
                    assertThat(shop.p99OfLocalHandler()).as("local handler").isLessThan(LOCAL_HANDLER);
                    assertThat(count(sql, "events.outbox_lane")).isLessThanOrEqualTo(AGGREGATES);
                    assertThat(count(sql, "events.outbox_claim")).isLessThan(MOST_CLAIMS);
                }

                cluster.broker(1).proxy().heal();
                shop.awaitHandled();
                published = shop.published();
            }
            List<ConsumerRecord<String, String>> records = TestKafka.read(
                    Map.of("bootstrap.servers", cluster.bootstrapServers()), "orders", published, (record) -> true);
            assertThat(TestKafka.sequences(records))
                    .hasSize(AGGREGATES)
                    .allSatisfy((aggregate, sequences) -> assertThat(sequences)
                            .containsExactlyElementsOf(IntStream.rangeClosed(1, sequences.size())
                                    .boxed()
                                    .toList()));
        }
    }

    /** Publishes for a while, and returns how many statements that and all that it causes took. */
    private static long statements(Shop shop, JdbcClient sql) {
        sql.sql("SELECT pg_stat_statements_reset()").query().listOfRows();
        shop.publish("Order", AGGREGATES, TOGETHER, WINDOW);
        return sql.sql("SELECT sum(calls) FROM pg_stat_statements WHERE query LIKE '%\"events\".outbox%'")
                .query(Long.class)
                .single();
    }

    private static long count(JdbcClient sql, String table) {
        return sql.sql("SELECT count(*) FROM " + table).query(Long.class).single();
    }
}
