package dev.outbox.kafka.internal.forwarder;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports topics that do not exist or may not be used, soon after the start instead of with the first event. Never fails the start. */
public final class TopicCheck implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(TopicCheck.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Map<String, Object> config = new HashMap<>();
    private final Map<String, String> topics;

    /**
     * Creates a check.
     *
     * @param client the configuration of the client that uses the topics
     * @param topics the topics by the property that names them
     */
    public TopicCheck(Map<String, Object> client, Map<String, String> topics) {
        this(client, topics, TIMEOUT);
    }

    TopicCheck(Map<String, Object> client, Map<String, String> topics, Duration timeout) {
        this.topics = Map.copyOf(topics);
        config.putAll(client);
        config.keySet().removeIf(TopicCheck::isOfOtherClients);
        config.put(AdminClientConfig.CLIENT_ID_CONFIG, client.get(AdminClientConfig.CLIENT_ID_CONFIG) + "-check");
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeout.toMillis() / 2);
    }

    /** Keeps keys that no client knows: plugins such as an SSL engine factory read them. */
    private static boolean isOfOtherClients(String key) {
        boolean known = ProducerConfig.configNames().contains(key)
                || ConsumerConfig.configNames().contains(key);
        return known && !AdminClientConfig.configNames().contains(key);
    }

    @Override
    public void run() {
        try (Client client = new Client(Admin.create(config))) {
            Map<String, KafkaFuture<?>> answers = new HashMap<>(client.admin()
                    .describeTopics(new HashSet<>(topics.values()))
                    .topicNameValues());
            for (Map.Entry<String, String> topic : topics.entrySet()) {
                KafkaFuture<?> answer = answers.get(topic.getValue());
                Throwable failure = answer == null ? null : failure(answer);
                if (failure != null && !report(topic.getKey(), topic.getValue(), failure)) {
                    return;
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (KafkaException ex) {
            log.error("No Kafka client can be created; check the properties below spring.kafka and outbox.kafka", ex);
        }
    }

    private static @Nullable Throwable failure(KafkaFuture<?> answer) throws InterruptedException {
        try {
            answer.get();
            return null;
        } catch (ExecutionException ex) {
            return ex.getCause() == null ? ex : ex.getCause();
        }
    }

    /** Reports why a topic cannot be used, and returns whether it makes sense to check the others. */
    boolean report(String property, String topic, Throwable failure) {
        if (failure instanceof UnknownTopicOrPartitionException) {
            log.error("Topic {} of {} does not exist; create the topic, or correct the property", topic, property);
            return true;
        }
        if (failure instanceof AuthorizationException) {
            log.error(
                    "Kafka does not permit the use of topic {} of {}: {}; grant it to the user of this service",
                    topic,
                    property,
                    failure.getMessage());
            return true;
        }
        if (failure instanceof AuthenticationException) {
            log.error(
                    "Kafka refused the credentials of this service: {}; check spring.kafka.security, spring.kafka.ssl"
                            + " and spring.kafka.properties[sasl.jaas.config]",
                    failure.getMessage());
        } else {
            log.warn(
                    "Kafka at {} (spring.kafka.bootstrap-servers) cannot be reached: {}; events wait until it can",
                    config.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG),
                    failure.getMessage());
        }
        return false;
    }

    /** Closes without waiting for requests in progress. */
    private record Client(Admin admin) implements AutoCloseable {

        @Override
        public void close() {
            admin.close(Duration.ZERO);
        }
    }
}
