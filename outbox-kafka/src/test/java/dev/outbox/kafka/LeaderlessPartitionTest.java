package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.kafka.fixture.Shop;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A topic, one of whose six partitions has no leader for a while. */
@Tag("full")
class LeaderlessPartitionTest {

    private static final int LEADERLESS = 5;
    /** Twice the bar, for a busy machine. A handler that waits for Kafka needs seconds. */
    private static final Duration LOCAL_HANDLER = Duration.ofMillis(500);

    @Test
    void otherPartitionsContinue() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.start(3);
                TestDatabase database = TestPostgres.shared().newDatabase()) {
            createTopic(cluster);
            int published;
            Instant begin;
            Instant end;
            try (Shop shop = Shop.start(cluster.bootstrapServers(), database)) {
                shop.publish("Order", Duration.ofSeconds(3));
                shop.awaitHandled();
                shop.p99OfLocalHandler();
                cluster.broker(3).kill();
                begin = Instant.now();
                shop.publish("Order", Duration.ofSeconds(30));
                end = Instant.now();
                assertThat(shop.p99OfLocalHandler()).as("local handler").isLessThan(LOCAL_HANDLER);
                cluster.restart(cluster.broker(3));
                shop.awaitHandled();
                published = shop.published();
            }

            List<ConsumerRecord<String, String>> records = TestKafka.read(
                    Map.of("bootstrap.servers", cluster.bootstrapServers()), "orders", published, (record) -> true);
            assertThat(TestKafka.sequences(records))
                    .allSatisfy((aggregate, sequences) ->
                            assertThat(sequences).isSorted().doesNotHaveDuplicates());
            List<Duration> others = records.stream()
                    .filter((record) -> record.partition() != LEADERLESS)
                    .filter((record) ->
                            time(record).isAfter(begin) && time(record).isBefore(end))
                    .map((record) -> Duration.between(time(record), Instant.ofEpochMilli(record.timestamp())))
                    .sorted()
                    .toList();
            assertThat(others.stream().filter((latency) -> latency.compareTo(Duration.ofSeconds(1)) <= 0))
                    .hasSizeGreaterThanOrEqualTo(others.size() * 5 / 6);
            assertThat(others.get(others.size() * 99 / 100)).as("p99").isLessThan(Duration.ofSeconds(6));
        }
    }

    /** Each partition has one replica; that of the sixth is on the third broker. */
    private static void createTopic(KafkaCluster cluster) throws Exception {
        Map<Integer, List<Integer>> replicas = IntStream.rangeClosed(0, LEADERLESS)
                .boxed()
                .collect(Collectors.toMap(
                        (partition) -> partition,
                        (partition) -> List.of(partition == LEADERLESS ? 3 : 1 + partition % 2)));
        cluster.admin()
                .createTopics(List.of(new NewTopic("orders", replicas)
                        .configs(Map.of("min.insync.replicas", "1", "message.timestamp.type", "LogAppendTime"))))
                .all()
                .get();
        replicas.keySet().forEach((partition) -> cluster.leader("orders", partition));
    }

    private static Instant time(ConsumerRecord<?, ?> record) {
        return Instant.parse(TestKafka.header(record, "ce_time"));
    }
}
