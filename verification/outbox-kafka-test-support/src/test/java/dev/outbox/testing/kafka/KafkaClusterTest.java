package dev.outbox.testing.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("full")
@Timeout(300)
class KafkaClusterTest {

    private static final String TOPIC = "orders";
    private static final int RECORDS = 500;

    private KafkaCluster cluster;

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void keepsAcknowledgedRecordsWhenKilled() throws Exception {
        cluster = KafkaCluster.start(1);
        cluster.createTopic(TOPIC, 1);
        String addressBefore = cluster.bootstrapServers();
        try (KafkaProducer<String, String> producer = producer()) {
            send(producer, 0);
            cluster.broker(1).kill();
            assertThat(cluster.broker(1).isRunning()).isFalse();
            cluster.restart(cluster.broker(1));
            send(producer, RECORDS);
        }

        assertThat(cluster.bootstrapServers()).isEqualTo(addressBefore);
        assertThat(consume(2 * RECORDS))
                .containsExactlyElementsOf(IntStream.range(0, 2 * RECORDS)
                        .mapToObj(String::valueOf)
                        .toList());
    }

    @Test
    void changesLeadersWithAndWithoutCrash() throws Exception {
        cluster = KafkaCluster.start(3);
        cluster.createTopic(TOPIC, 1);
        KafkaBroker first = cluster.leader(TOPIC, 0);
        KafkaBroker second = cluster.broker(first.id() % 3 + 1);
        try (KafkaProducer<String, String> producer = producer()) {
            send(producer, 0);
            cluster.moveLeader(TOPIC, 0, second);
            send(producer, RECORDS);
            second.kill();
            assertThat(cluster.leader(TOPIC, 0)).isNotSameAs(second);
            send(producer, 2 * RECORDS);
            cluster.restart(second);
        }

        assertThat(consume(3 * RECORDS)).hasSize(3 * RECORDS);
    }

    private KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        cluster.bootstrapServers(),
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        2000,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        30_000,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        30_000,
                        ProducerConfig.LINGER_MS_CONFIG,
                        0),
                new StringSerializer(),
                new StringSerializer());
    }

    private static void send(KafkaProducer<String, String> producer, int first) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int number = first; number < first + RECORDS; number++) {
            sent.add(producer.send(new ProducerRecord<>(TOPIC, String.valueOf(number))));
        }
        for (Future<RecordMetadata> one : sent) {
            one.get();
        }
    }

    private List<String> consume(int count) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        cluster.bootstrapServers(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
            while (values.size() < count) {
                consumer.poll(Duration.ofSeconds(1)).forEach((record) -> values.add(record.value()));
            }
        }
        return values;
    }
}
