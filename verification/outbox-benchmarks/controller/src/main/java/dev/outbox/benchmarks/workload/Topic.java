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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Topic that contestants forward events to. */
final class Topic {

    static final String NAME = "events";

    private static final Duration POLL = Duration.ofMillis(200);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final KafkaCluster cluster;
    private final List<TopicPartition> partitions = new ArrayList<>();

    /** Creates the topic. */
    Topic(KafkaCluster cluster, int partitions) {
        this.cluster = cluster;
        cluster.createTopic(NAME, partitions);
        for (int partition = 0; partition < partitions; partition++) {
            this.partitions.add(new TopicPartition(NAME, partition));
        }
    }

    /** Returns the number of records. */
    long size() throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach((partition) -> latest.put(partition, OffsetSpec.latest()));
        return cluster.admin().listOffsets(latest).all().get().values().stream()
                .mapToLong(ListOffsetsResultInfo::offset)
                .sum();
    }

    /** Reads all records as calls of a handler, whose times are only the order of the records. */
    List<Entry> read() throws InterruptedException, ExecutionException {
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
                    entries.add(entry(received, entries.size() + 1));
                }
            }
        }
        return entries;
    }

    private static Entry entry(ConsumerRecord<String, String> received, long position) {
        JsonNode event = JSON.readTree(received.value());
        int key = event.get("key").asInt();
        if (!Integer.toString(key).equals(received.key())) {
            throw new IllegalStateException("the key of the record is not the account: " + received);
        }
        return new Entry(event.get("number").asInt(), key, event.get("seq").asLong(), position, position);
    }
}
