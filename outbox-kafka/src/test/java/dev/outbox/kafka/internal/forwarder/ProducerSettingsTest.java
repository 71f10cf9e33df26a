package dev.outbox.kafka.internal.forwarder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProducerSettingsTest {

    private static final int LARGEST_PAYLOAD = 1 << 20;

    @Test
    void defaultsAreSafeAndBounded() {
        ProducerSettings settings = settings(Map.of(), Map.of());

        assertThat(settings.values())
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("linger.ms", 0)
                .containsEntry("max.block.ms", 5_000)
                .containsEntry("request.timeout.ms", 5_000)
                .containsEntry("delivery.timeout.ms", 15_000)
                .containsEntry("client.id", "shop-outbox")
                .containsEntry("key.serializer", StringSerializer.class)
                .containsEntry("value.serializer", ByteArraySerializer.class)
                .containsEntry("compression.type", "gzip")
                .containsEntry("max.request.size", 3 * LARGEST_PAYLOAD)
                .containsEntry("buffer.memory", 32L << 20)
                .doesNotContainKey("partitioner.class");
        assertThat(settings.patience()).isEqualTo(Duration.ofSeconds(20));
        assertThat(settings).satisfies(ProducerSettingsTest::isAcceptedByKafka);
    }

    @Test
    void ownPropertiesWinOverThoseOfApplication() {
        ProducerSettings settings = settings(
                Map.of(
                        "acks", "1",
                        "linger.ms", "7",
                        "compression.type", "lz4",
                        "partitioner.class", RoundRobinPartitioner.class,
                        "transactional.id", "tx"),
                Map.of(
                        "acks", "all",
                        "linger.ms", "20",
                        "partitioner.class", "",
                        "value.serializer", StringSerializer.class.getName()));

        assertThat(settings.values())
                .containsEntry("acks", "all")
                .containsEntry("linger.ms", "20")
                .containsEntry("compression.type", "lz4")
                .containsEntry("value.serializer", StringSerializer.class.getName())
                .doesNotContainKeys("transactional.id", "partitioner.class");
        assertThat(settings).satisfies(ProducerSettingsTest::isAcceptedByKafka);
    }

    @Test
    void serializersOfApplicationStayItsOwn() {
        assertThat(settings(Map.of("value.serializer", StringSerializer.class), Map.of())
                        .values())
                .containsEntry("value.serializer", ByteArraySerializer.class);
    }

    @Test
    void deliveryTimeoutFollowsLongerRequests() {
        ProducerSettings settings = settings(Map.of("request.timeout.ms", "30000", "linger.ms", 5), Map.of());

        assertThat(settings.values()).containsEntry("delivery.timeout.ms", 30_005);
        assertThat(settings).satisfies(ProducerSettingsTest::isAcceptedByKafka);
    }

    @ParameterizedTest
    @CsvSource({
        "acks, 1",
        "acks, 0",
        "enable.idempotence, false",
        "retries, 0",
        "max.in.flight.requests.per.connection, 6",
        "partitioner.class, org.apache.kafka.clients.producer.RoundRobinPartitioner",
        "partitioner.ignore.keys, true"
    })
    void weakerGuaranteeIsRefusedWithItsProperty(String key, String value) {
        assertThatThrownBy(() -> settings(Map.of(), Map.of(key, value)))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("outbox.kafka.producer.properties[" + key + "] must not be " + value);
        assertThatThrownBy(() -> settings(Map.of(key, value), Map.of()))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("the producer of the application has " + key + "=" + value)
                .hasMessageContaining("spring.kafka");
    }

    @ParameterizedTest
    @CsvSource({
        "linger.ms, soon, Invalid value soon",
        "delivery.timeout.ms, 1000, must be at least",
        "max.request.size, 1048576, (outbox.publisher.max-payload-size) can need 3145728",
        "buffer.memory, 3145727, must be at least max.request.size"
    })
    void invalidValueIsRefused(String key, String value, String reason) {
        assertThatThrownBy(() -> settings(Map.of(), Map.of(key, value)))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(key)
                .hasMessageContaining(reason);
    }

    @Test
    void requestsHoldTheLargestEvent() {
        ProducerSettings settings = settings(Map.of("max.request.size", "400000000"), Map.of(), 100 << 20);

        assertThat(settings.values())
                .containsEntry("max.request.size", "400000000")
                .containsEntry("buffer.memory", 400_000_000L);
        assertThat(settings(Map.of(), Map.of(), Integer.MAX_VALUE).values())
                .containsEntry("max.request.size", Integer.MAX_VALUE);
    }

    private static ProducerSettings settings(Map<String, Object> application, Map<String, String> own) {
        return settings(application, own, LARGEST_PAYLOAD);
    }

    private static ProducerSettings settings(
            Map<String, Object> application, Map<String, String> own, int largestPayload) {
        Map<String, Object> all = new HashMap<>(application);
        all.put("bootstrap.servers", "localhost:1");
        return new ProducerSettings(all, own, "shop-outbox", largestPayload);
    }

    private static void isAcceptedByKafka(ProducerSettings settings) {
        new KafkaProducer<>(settings.values()).close(Duration.ZERO);
    }
}
