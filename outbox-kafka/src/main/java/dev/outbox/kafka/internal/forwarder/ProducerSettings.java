package dev.outbox.kafka.internal.forwarder;

import dev.outbox.OutboxConfigurationException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the producer: that of the application, overridden by {@code outbox.kafka.producer.properties}, with the settings that
 * the order and safety of the events need.
 */
public final class ProducerSettings {

    private static final String OWN = "outbox.kafka.producer.properties";
    private static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration MARGIN = Duration.ofSeconds(5);
    private static final int MOST_IN_FLIGHT = 5;

    private final Map<String, Object> values;

    /**
     * Merges and checks the configuration. Throws an {@link OutboxConfigurationException} that names the property if it is invalid, or
     * could lose events.
     *
     * @param application the configuration of the application's own producers
     * @param own the configuration of this producer only
     * @param clientId the client id, unless one is set
     */
    public ProducerSettings(Map<String, Object> application, Map<String, String> own, String clientId) {
        values = new HashMap<>(application);
        values.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        values.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        values.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        values.putAll(own);
        requireSafe(own);
        values.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        values.put(ProducerConfig.ACKS_CONFIG, "all");
        values.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // An event waits for its acknowledgement, so it gains nothing from waiting for others before it is sent.
        values.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0);
        values.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        values.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        Map<String, Object> parsed = parse();
        values.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryTimeout(parsed));
        requireDeliveryTimeout(parse());
    }

    private void requireSafe(Map<String, String> own) {
        if (own.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
            throw invalid(
                    own, ProducerConfig.TRANSACTIONAL_ID_CONFIG, "the producer of the outbox uses no transactions");
        }
        String acks = text(ProducerConfig.ACKS_CONFIG);
        if (acks != null && !acks.equals("all") && !acks.equals("-1")) {
            throw invalid(own, ProducerConfig.ACKS_CONFIG, "a record would be lost with its broker; use all");
        }
        if ("false".equalsIgnoreCase(text(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG))) {
            throw invalid(
                    own, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "records could be repeated out of order; use true");
        }
        if ("0".equals(text(ProducerConfig.RETRIES_CONFIG))) {
            throw invalid(own, ProducerConfig.RETRIES_CONFIG, "an idempotent producer needs retries");
        }
        Object inFlight = parse().get(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION);
        if (inFlight instanceof Integer number && number > MOST_IN_FLIGHT) {
            throw invalid(
                    own,
                    ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                    "an idempotent producer allows at most " + MOST_IN_FLIGHT);
        }
    }

    private OutboxConfigurationException invalid(Map<String, String> own, String key, String why) {
        return new OutboxConfigurationException(
                own.containsKey(key)
                        ? OWN + "[" + key + "] must not be " + values.get(key) + ": " + why
                        : "the producer of the application has " + key + "=" + values.get(key)
                                + ", from spring.kafka or a ProducerFactory: " + why + ". Change it there, or set "
                                + OWN
                                + "[" + key + "] for forwarded events only");
    }

    private @Nullable String text(String key) {
        Object value = values.get(key);
        return value == null ? null : value.toString().trim();
    }

    private Map<String, Object> parse() {
        try {
            return ProducerConfig.configDef().parse(values);
        } catch (ConfigException ex) {
            throw new OutboxConfigurationException("the configuration of the Kafka producer below spring.kafka or "
                    + OWN + " is invalid: " + ex.getMessage());
        }
    }

    private static int deliveryTimeout(Map<String, Object> parsed) {
        return (int) Math.max(DELIVERY_TIMEOUT.toMillis(), shortestDeliveryTimeout(parsed));
    }

    private static long shortestDeliveryTimeout(Map<String, Object> parsed) {
        return millis(parsed, ProducerConfig.LINGER_MS_CONFIG)
                + millis(parsed, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    }

    private static void requireDeliveryTimeout(Map<String, Object> parsed) {
        long timeout = millis(parsed, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
        if (timeout < shortestDeliveryTimeout(parsed)) {
            throw new OutboxConfigurationException("delivery.timeout.ms below spring.kafka or " + OWN
                    + " must be at least linger.ms + request.timeout.ms: " + timeout);
        }
    }

    private static long millis(Map<String, Object> parsed, String key) {
        return parsed.get(key) instanceof Number number ? number.longValue() : 0;
    }

    /** Returns the configuration. */
    public Map<String, Object> values() {
        return Collections.unmodifiableMap(values);
    }

    /** Returns how long to wait for a record, which the producer should have completed by then. */
    public Duration patience() {
        return Duration.ofMillis(millis(parse(), ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG))
                .plus(MARGIN);
    }
}
