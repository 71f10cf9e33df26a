package dev.outbox.kafka.internal.inbox;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Ids of topics, for one consumer, which does not tell them. It fetches by id, and so must read new metadata before it can read a topic that
 * was created again: as the deserializer of its keys, this class learns when it has, and ends with it.
 */
public final class TopicIds extends ByteArrayDeserializer implements ClusterResourceListener {

    private static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(5).toMillis();

    private final Map<String, Object> config;
    private final AtomicLong updates = new AtomicLong();
    private @Nullable Admin admin;

    /** Connects as a consumer with this configuration does, with a suffix that distinguishes the consumers of an inbox. */
    public TopicIds(Map<String, Object> consumer, String suffix) {
        config = new HashMap<>(consumer);
        Set<String> ofConsumers = ConsumerConfig.configNames();
        config.keySet()
                .removeIf((name) -> ofConsumers.contains(name)
                        && !AdminClientConfig.configNames().contains(name));
        config.merge(CommonClientConfigs.CLIENT_ID_CONFIG, suffix, (id, added) -> id.toString() + added);
    }

    @Override
    public void onUpdate(ClusterResource cluster) {
        updates.incrementAndGet();
    }

    /** Returns how often the consumer has read metadata. */
    long updates() {
        return updates.get();
    }

    /** Asks for the ids of topics. Leaves out those that do not exist, and those of brokers before Kafka 2.8, which gives topics no ids. */
    Map<String, String> of(Collection<String> topics) {
        if (admin == null) {
            admin = Admin.create(config);
        }
        Map<String, String> ids = new HashMap<>();
        admin.describeTopics(topics, new DescribeTopicsOptions().timeoutMs(TIMEOUT_MILLIS))
                .topicNameValues()
                .forEach((topic, description) -> {
                    Uuid id = id(description.thenApply((found) -> found.topicId()));
                    if (!id.equals(Uuid.ZERO_UUID)) {
                        ids.put(topic, id.toString());
                    }
                });
        return ids;
    }

    private static Uuid id(KafkaFuture<Uuid> asked) {
        try {
            return asked.get();
        } catch (InterruptedException ex) {
            throw new InterruptException(ex);
        } catch (ExecutionException ex) {
            if (ex.getCause() instanceof UnknownTopicOrPartitionException) {
                return Uuid.ZERO_UUID;
            }
            throw new KafkaException("could not learn the id of a topic", ex.getCause());
        }
    }

    @Override
    public void close() {
        Admin closing = admin;
        admin = null;
        if (closing != null) {
            closing.close(Duration.ZERO);
        }
    }
}
