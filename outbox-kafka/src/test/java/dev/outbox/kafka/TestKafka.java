package dev.outbox.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** The one broker of this JVM, started by the first call. It creates no topics by itself. */
public final class TestKafka {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int PARTITIONS = 3;

    private static final EmbeddedKafkaBroker BROKER = start();

    private TestKafka() {}

    private static EmbeddedKafkaBroker start() {
        EmbeddedKafkaBroker broker =
                new EmbeddedKafkaKraftBroker(1, PARTITIONS).brokerProperty("auto.create.topics.enable", "false");
        broker.afterPropertiesSet();
        Runtime.getRuntime().addShutdownHook(new Thread(broker::destroy, "test-kafka-stop"));
        return broker;
    }

    public static String bootstrapServers() {
        return BROKER.getBrokersAsString();
    }

    /** Creates a topic with three partitions. */
    public static void createTopic(String name, Map<String, String> config) {
        BROKER.addTopics(new NewTopic(name, PARTITIONS, (short) 1).configs(config));
    }

    /** Reads a topic from its beginning until it has that many records of a kind; fails after 30 seconds. */
    public static List<ConsumerRecord<String, String>> read(
            String topic, int count, Predicate<ConsumerRecord<String, String>> kind) {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrapServers());
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map((partition) -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long deadline = System.nanoTime() + DEADLINE.toNanos();
            while (found.size() < count) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("found " + found.size() + " of " + count + " records: " + found);
                }
                consumer.poll(Duration.ofMillis(100)).forEach((record) -> {
                    if (kind.test(record)) {
                        found.add(record);
                    }
                });
            }
        }
        return found;
    }
}
