package dev.outbox.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;

class BootstrapServersTest {

    private static final String SERVERS = "bootstrap.servers";

    private final AtomicReference<String> cluster = new AtomicReference<>("blue:9092");
    private final DefaultKafkaProducerFactory<Object, Object> application = new DefaultKafkaProducerFactory<>(Map.of());

    BootstrapServersTest() {
        application.setBootstrapServersSupplier(cluster::get);
    }

    @Test
    void newClientConnectsToTheClusterOfTheApplication() {
        DefaultKafkaProducerFactory<Object, Object> own = own(Map.of());
        cluster.set("green:9092");

        assertThat(own.getConfigurationProperties()).containsEntry(SERVERS, "green:9092");
    }

    @Test
    void ownServersWin() {
        DefaultKafkaProducerFactory<Object, Object> own = own(Map.of(SERVERS, "events:9092"));
        cluster.set("green:9092");

        assertThat(own.getConfigurationProperties()).containsEntry(SERVERS, "events:9092");
    }

    private DefaultKafkaProducerFactory<Object, Object> own(Map<String, Object> properties) {
        Map<String, Object> values = new HashMap<>(application.getConfigurationProperties());
        values.putAll(properties);
        DefaultKafkaProducerFactory<Object, Object> factory = new DefaultKafkaProducerFactory<>(values);
        BootstrapServers.follow(application::getConfigurationProperties, values, factory);
        return factory;
    }
}
