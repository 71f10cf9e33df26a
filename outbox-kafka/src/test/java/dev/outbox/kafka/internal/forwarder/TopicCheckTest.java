package dev.outbox.kafka.internal.forwarder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.kafka.TestKafka;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class TopicCheckTest {

    private static final String PROPERTY = "outbox.kafka.routes.orders.topic";

    @Test
    void missingTopicIsReportedWithItsProperty(CapturedOutput output) {
        TestKafka.createTopic("checked", Map.of());
        Map<String, String> topics = Map.of(PROPERTY, "absent", "outbox.kafka.routes.other.topic", "checked");

        new TopicCheck(client(TestKafka.bootstrapServers()), topics).run();

        assertThat(output)
                .containsOnlyOnce("Topic absent of outbox.kafka.routes.orders.topic does not exist; create the topic")
                .doesNotContain("other");
    }

    @Test
    void unreachableKafkaIsReportedOnce(CapturedOutput output) {
        Map<String, String> topics = Map.of(PROPERTY, "absent", "outbox.kafka.routes.other.topic", "checked");

        new TopicCheck(client("localhost:1"), topics, Duration.ofMillis(400)).run();

        assertThat(output).containsOnlyOnce("Kafka at localhost:1 (spring.kafka.bootstrap-servers) cannot be reached");
    }

    @Test
    void refusedCredentialsAndPermissionsAreReported(CapturedOutput output) {
        TopicCheck check = new TopicCheck(client("localhost:1"), Map.of());

        assertThat(check.report(PROPERTY, "orders", new SaslAuthenticationException("bad password")))
                .isFalse();
        assertThat(check.report(PROPERTY, "orders", new TopicAuthorizationException(Set.of("orders"))))
                .isTrue();

        assertThat(output)
                .contains("Kafka refused the credentials of this service: bad password; check spring.kafka.security")
                .contains("Kafka does not permit the use of topic orders of " + PROPERTY);
    }

    @Test
    void invalidClientIsReported(CapturedOutput output) {
        Map<String, Object> client = Map.of("bootstrap.servers", "localhost:1", "security.protocol", "SSH");

        new TopicCheck(client, Map.of(PROPERTY, "orders")).run();

        assertThat(output).contains("No Kafka client can be created");
    }

    private static Map<String, Object> client(String servers) {
        return Map.of("bootstrap.servers", servers, "client.id", "shop-outbox", "acks", "all");
    }
}
