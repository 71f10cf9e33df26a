package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Topic of Kafka. */
final class Topic implements Destination {

    static final String NAME = "events";

    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaCluster cluster = KafkaCluster.start(1);
    private final List<TopicPartition> partitions = new ArrayList<>();

    /** Starts the broker and creates the topic. */
    Topic(int partitions) {
        cluster.createTopic(NAME, partitions);
        for (int partition = 0; partition < partitions; partition++) {
            this.partitions.add(new TopicPartition(NAME, partition));
        }
    }

    @Override
    public Map<String, String> properties() {
        return Map.of("spring.kafka.bootstrap-servers", cluster.bootstrapServers());
    }

    @Override
    public long size() throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach((partition) -> latest.put(partition, OffsetSpec.latest()));
        return cluster.admin().listOffsets(latest).all().get().values().stream()
                .mapToLong(ListOffsetsResultInfo::offset)
                .sum();
    }

    @Override
    public List<Entry> read() throws InterruptedException, ExecutionException {
        long size = size();
        List<Entry> entries = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (entries.size() < size) {
                for (ConsumerRecord<String, String> received : consumer.poll(POLL)) {
                    entries.add(Destination.entry(received.key(), received.value(), entries.size() + 1));
                }
            }
        }
        return entries;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
