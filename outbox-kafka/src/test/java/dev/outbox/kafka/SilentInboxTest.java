package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.spring.internal.HealthDetails;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** An inbox that receives nothing and gets no exception, because its topic is mistyped, beside one that works. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class SilentInboxTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void everyInstanceSeesThatATopicIsMissing(CapturedOutput output) {
        TestKafka.createTopic("spoken", Map.of());
        try (TestDatabase database = TestPostgres.shared().newDatabase();
                ConfigurableApplicationContext application = start(database)) {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(application
                                    .getBean(OutboxInspector.class)
                                    .overview()
                                    .instances())
                            .singleElement()
                            .satisfies((instance) -> assertThat(instance.stoppedInboxes())
                                    .containsExactly("silent: the topics [silnt] do not exist")));
            HealthDetails health = application.getBean("outboxKafkaInboxLifecycle", HealthDetails.class);
            assertThat(health.get()).hasToString("{stoppedInboxes={silent=the topics [silnt] do not exist}}");
            assertThat(output).containsOnlyOnce("Inbox silent cannot receive: the topics [silnt] do not exist;");

            TestKafka.createTopic("silnt", Map.of());
            await().atMost(Duration.ofMinutes(1)).until(() -> health.get().isEmpty());
            assertThat(output).containsOnlyOnce("Inbox silent receives again");
        }
    }

    private static ConfigurableApplicationContext start(TestDatabase database) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.kafka.bootstrap-servers=" + TestKafka.bootstrapServers(),
                        "--outbox.kafka.inboxes.spoken.topics=spoken",
                        "--outbox.kafka.inboxes.spoken.group=spoken",
                        "--outbox.kafka.inboxes.silent.topics=silnt",
                        "--outbox.kafka.inboxes.silent.group=silent");
    }
}
