package dev.outbox.kafka.internal.forwarder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class KafkaTargetTest {

    private static final int PARTITIONS = 6;

    private final List<MockProducer<Object, Object>> created = new ArrayList<>();
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final SharedProducer producers = new SharedProducer(this::create, () -> latest().close());
    private final KafkaTarget target = new KafkaTarget(producers);

    @Test
    void keyedRecordFailsWithItsPartition() {
        for (String key : List.of("a", "order-17", "Žižkov", "")) {
            assertThat(target.unit(new ProducerRecord<>("orders", key, "value")))
                    .isEqualTo(new TopicPartition(
                            "orders",
                            BuiltInPartitioner.partitionForKey(
                                    new StringSerializer().serialize("orders", key), PARTITIONS)));
        }
    }

    @Test
    void chosenPartitionFailsAlone() {
        assertThat(target.unit(new ProducerRecord<>("orders", 4, "a", "value")))
                .isEqualTo(new TopicPartition("orders", 4));
        assertThatThrownBy(() -> target.unit(new ProducerRecord<>("orders", 6, "a", "value")))
                .hasMessageContaining("partition 6 of topic orders, which has 6");
    }

    @Test
    void recordWithUnknownPartitionFailsWithItsTopic() {
        assertThat(target.unit(new ProducerRecord<>("orders", null, "value"))).isEqualTo("orders");
        assertThat(target.unit(new ProducerRecord<>("orders", 17L, "value"))).isEqualTo("orders");
    }

    @Test
    void brokenProducerIsReplaced() {
        send();
        failure.set(new KafkaException("in an error state"));
        assertThatThrownBy(this::send).hasMessage("in an error state");
        failure.set(null);
        send();

        assertThat(created).hasSize(2);
        assertThat(created.get(0).closed()).isTrue();
    }

    @Test
    void recordThatIsRefusedByItsSerializerKeepsTheProducer() {
        failure.set(new IllegalStateException("of a serializer"));

        assertThatThrownBy(this::send).isInstanceOf(IllegalStateException.class);
        assertThat(latest().closed()).isFalse();
    }

    @Test
    void closedProducerDoesNotCountAgainstTheEvent() {
        send();
        producers.close();
        assertThatThrownBy(this::send).isInstanceOf(KafkaException.class);
        assertThat(created).hasSize(1);

        producers.open();
        send();
        assertThat(created).hasSize(2);
    }

    private void send() {
        if (!created.isEmpty()) {
            latest().sendException = failure.get();
        }
        target.send(new ProducerRecord<>("orders", "a", new byte[0]));
    }

    private MockProducer<Object, Object> latest() {
        return created.get(created.size() - 1);
    }

    @SuppressWarnings("unchecked")
    private MockProducer<Object, Object> create() {
        Node node = new Node(1, "localhost", 1);
        Node[] nodes = {node};
        Cluster cluster = new Cluster(
                "cluster",
                List.of(node),
                IntStream.range(0, PARTITIONS)
                        .mapToObj((partition) -> new PartitionInfo("orders", partition, node, nodes, nodes))
                        .toList(),
                Set.of(),
                Set.of());
        MockProducer<Object, Object> producer = new MockProducer<>(
                cluster, true, null, (Serializer<Object>) (Serializer<?>) new StringSerializer(), (Serializer<Object>)
                        (Serializer<?>) new ByteArraySerializer());
        producer.sendException = failure.get();
        created.add(producer);
        return producer;
    }
}
