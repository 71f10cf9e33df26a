package dev.outbox.kafka.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.kafka.TestKafka;
import dev.outbox.testing.TcpProxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a consumer that polls, and gets no exception, says about itself after 30 s. */
class ReceptionTest {

    private static final AtomicInteger TOPICS = new AtomicInteger();

    private final String topic = "reception-" + TOPICS.incrementAndGet();
    private final AtomicLong nanos = new AtomicLong();
    private final Reception reception = new Reception(Set.of(topic), nanos::get);

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void membersWithAndWithoutPartitionsAreWell(String protocol) {
        TestKafka.createTopic(topic, Map.of());
        try (Consumer<?, ?> first = consumer(TestKafka.bootstrapServers(), protocol);
                Consumer<?, ?> second = consumer(TestKafka.bootstrapServers(), protocol);
                Consumer<?, ?> third = consumer(TestKafka.bootstrapServers(), protocol);
                Consumer<?, ?> fourth = consumer(TestKafka.bootstrapServers(), protocol)) {
            List<Consumer<?, ?>> members = List.of(first, second, third, fourth);
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                members.forEach(ReceptionTest::poll);
                return members.stream()
                        .map((member) -> member.assignment().size())
                        .sorted()
                        .toList()
                        .equals(List.of(0, 1, 1, 1));
            });
            List<Reception> watched = members.stream()
                    .map((member) -> new Reception(Set.of(topic), nanos::get))
                    .toList();
            for (int checks = 0; checks < 2; checks++) {
                List<Double> before =
                        members.stream().map(ReceptionTest::answers).toList();
                await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                    members.forEach(ReceptionTest::poll);
                    assertThat(members)
                            .zipSatisfy(
                                    before,
                                    (member, count) ->
                                            assertThat(answers(member)).isGreaterThan(count));
                });
                pass(Duration.ofSeconds(20));
                assertThat(watched)
                        .zipSatisfy(
                                members,
                                (reception, member) ->
                                        assertThat(reception.problem(member)).isNull());
            }
        }
    }

    @Test
    void missingTopicIsNamedUntilItExists() {
        try (Consumer<?, ?> consumer = consumer(TestKafka.bootstrapServers(), "classic")) {
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                poll(consumer);
                return answers(consumer) > 0;
            });
            pass(Duration.ofSeconds(29));
            assertThat(reception.problem(consumer)).isNull();
            pass(Duration.ofSeconds(5));
            assertThat(reception.problem(consumer)).isEqualTo("the topics [" + topic + "] do not exist");

            TestKafka.createTopic(topic, Map.of());
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                poll(consumer);
                pass(Duration.ofSeconds(5));
                return reception.problem(consumer) == null;
            });
        }
    }

    @Test
    void unreachableBrokerIsReported() {
        String[] broker = TestKafka.bootstrapServers().split(",")[0].split(":");
        TestKafka.createTopic(topic, Map.of());
        try (TcpProxy network = TcpProxy.to(broker[0], Integer.parseInt(broker[1]));
                Consumer<?, ?> consumer = consumer("localhost:" + network.port(), "classic")) {
            network.refuse();
            poll(consumer);
            pass(Duration.ofSeconds(31));
            assertThat(reception.problem(consumer)).isEqualTo("Kafka has answered no heartbeat for 30 s");

            network.heal();
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                poll(consumer);
                pass(Duration.ofSeconds(5));
                return reception.problem(consumer) == null;
            });
        }
    }

    @Test
    void fetchesThatFailAreReported() {
        TestKafka.createTopic(topic, Map.of());
        try (Consumer<?, ?> consumer = consumer(TestKafka.bootstrapServers(), "classic")) {
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                poll(consumer);
                return !consumer.assignment().isEmpty();
            });
            pass(Duration.ofSeconds(5));
            assertThat(reception.problem(consumer)).isNull();
            pass(Duration.ofSeconds(31));
            assertThat(reception.problem(consumer)).isEqualTo("Kafka has answered no fetch for 30 s");
        }
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static void poll(Consumer<?, ?> consumer) {
        consumer.poll(Duration.ofMillis(50));
    }

    private static double answers(Consumer<?, ?> consumer) {
        String name = consumer.assignment().isEmpty() ? "heartbeat-total" : "fetch-total";
        return consumer.metrics().values().stream()
                .filter((metric) -> metric.metricName().name().equals(name))
                .mapToDouble((metric) -> (double) metric.metricValue())
                .sum();
    }

    private Consumer<?, ?> consumer(String servers, String protocol) {
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers", servers,
                "group.id", topic,
                "group.protocol", protocol,
                "allow.auto.create.topics", false,
                "reconnect.backoff.max.ms", 100));
        if (protocol.equals("classic")) {
            config.put("heartbeat.interval.ms", 200);
        }
        Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }
}
