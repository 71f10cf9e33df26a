package dev.outbox.kafka.internal.forwarder;

import dev.outbox.OutboxConfigurationException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Configuration of the producer: that of the application, overridden by {@code outbox.kafka.producer.properties}, with the settings that
 * the order and safety of the events need.
 */
public final class ProducerSettings {

    private static final String OWN = "outbox.kafka.producer.properties";
    private static final int DELIVERY_TIMEOUT_MILLIS = 15_000;

    /** Kafka's own default. */
    private static final int MAX_REQUEST_SIZE = 1 << 20;

    /** Kafka's own default. */
    private static final int BUFFER_MEMORY = 32 << 20;

    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final Map<String, Object> values;

    /**
     * Merges and checks the configuration. Throws an {@link OutboxConfigurationException} that names the property if it is invalid, or
     * could lose events.
     *
     * @param application the configuration of the application's own producers
     * @param own the configuration of this producer only
     * @param clientId the client id, unless one is set
     * @param largestPayload the largest payload that the publisher accepts, in bytes
     */
    public ProducerSettings(
            Map<String, Object> application, Map<String, String> own, String clientId, int largestPayload) {
        values = new HashMap<>(application);
        values.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        values.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        values.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        values.putAll(own);
        values.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        if ("".equals(own.get(ProducerConfig.PARTITIONER_CLASS_CONFIG))) {
            values.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
        }
        refuse(
                own,
                ProducerConfig.PARTITIONER_CLASS_CONFIG,
                (partitioner) -> true,
                "it could scatter an aggregate over partitions. A KafkaRecordMapper can set the partition");
        refuse(
                own,
                ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
                "true"::equalsIgnoreCase,
                "an aggregate would be scattered over partitions");
        refuse(
                own,
                ProducerConfig.ACKS_CONFIG,
                (acks) -> !acks.matches("all|-1"),
                "a record would be lost with its broker");
        refuse(
                own,
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                "false"::equalsIgnoreCase,
                "records could be repeated out of order");
        refuse(own, ProducerConfig.RETRIES_CONFIG, "0"::equals, "an idempotent producer needs retries");
        refuse(
                own,
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                (requests) -> !requests.matches("[1-5]"),
                "an idempotent producer allows 1 to 5");
        values.put(ProducerConfig.ACKS_CONFIG, "all");
        values.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // An event waits for its acknowledgement, so it gains nothing from waiting for others before it is sent.
        values.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0);
        values.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        values.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        sizeRequests(largestPayload);
        int shortest = (int) Math.min(
                Integer.MAX_VALUE,
                number(ProducerConfig.LINGER_MS_CONFIG) + number(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG));
        values.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.max(DELIVERY_TIMEOUT_MILLIS, shortest));
        if (number(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG) < shortest) {
            throw new OutboxConfigurationException("delivery.timeout.ms below spring.kafka or " + OWN
                    + " must be at least linger.ms + request.timeout.ms, which is " + shortest);
        }
    }

    /**
     * Lets the producer take every event that the publisher accepts: {@code jsonb} writes a space after each comma and colon, which is half
     * a payload at most, and the headers have the limit of the payload. Gzip brings a payload of the default limit below the default limit of
     * brokers, 1,048,588 bytes: the bytes of JSON in UTF-8 have 209 values, so they need 7.7 bits at most. Zstandard and LZ4 give up
     * on dense text.
     */
    private void sizeRequests(int largestPayload) {
        int largestRecord = (int) Math.min(Integer.MAX_VALUE, 3L * largestPayload);
        values.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
        values.putIfAbsent(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Math.max(MAX_REQUEST_SIZE, largestRecord));
        long request = number(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
        if (request < largestRecord) {
            throw new OutboxConfigurationException("max.request.size below spring.kafka or " + OWN + " is " + request
                    + ", and an event with a payload of " + largestPayload
                    + " bytes (outbox.publisher.max-payload-size) can need " + largestRecord
                    + ". Remove it, set " + OWN
                    + "[max.request.size] for forwarded events only, or lower the limit of payloads");
        }
        values.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(BUFFER_MEMORY, request));
        if (number(ProducerConfig.BUFFER_MEMORY_CONFIG) < request) {
            throw new OutboxConfigurationException("buffer.memory below spring.kafka or " + OWN
                    + " must be at least max.request.size, which is " + request);
        }
    }

    private void refuse(Map<String, String> own, String key, Predicate<String> isWeak, String why) {
        Object value = values.get(key);
        if (value != null && isWeak.test(value.toString().trim())) {
            throw new OutboxConfigurationException(
                    own.containsKey(key)
                            ? OWN + "[" + key + "] must not be " + value + ": " + why
                            : "the producer of the application has " + key + "=" + value
                                    + ", from spring.kafka or a ProducerFactory: " + why
                                    + ". Change it there, or set " + OWN + "[" + key + "] for forwarded events only");
        }
    }

    private long number(String key) {
        try {
            return ((Number) Objects.requireNonNull(
                            ProducerConfig.configDef().parse(values).get(key)))
                    .longValue();
        } catch (ConfigException ex) {
            throw new OutboxConfigurationException("the configuration of the Kafka producer below spring.kafka or "
                    + OWN + " is invalid: " + ex.getMessage());
        }
    }

    public Map<String, Object> values() {
        return Collections.unmodifiableMap(values);
    }

    /** Returns how long to wait for a record, which the producer should have completed by then. */
    public Duration patience() {
        return Duration.ofMillis(number(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG))
                .plus(MARGIN);
    }
}
