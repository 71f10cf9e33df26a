package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with one {@code group.instance.id}, and several consumers in one group. */
@ExtendWith(OutputCaptureExtension.class)
class StaticMembersTest {

    private static final String GROUP = "static-members";

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void eachConsumerIsAMemberOfItsOwn(CapturedOutput output) {
        TestKafka.createTopic("static-orders", Map.of());
        TestKafka.createTopic("static-parts", Map.of());
        try (TestDatabase database = TestPostgres.shared().newDatabase();
                ConfigurableApplicationContext application = start(database);
                Admin admin = Admin.create(Map.of("bootstrap.servers", TestKafka.bootstrapServers()))) {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(admin.describeConsumerGroups(List.of(GROUP))
                                    .describedGroups()
                                    .get(GROUP)
                                    .get()
                                    .members())
                            .extracting(MemberDescription::groupInstanceId)
                            .containsExactlyInAnyOrder(
                                    Optional.of("pod-3-orders-0"),
                                    Optional.of("pod-3-orders-1"),
                                    Optional.of("pod-3-parts-0"),
                                    Optional.of("pod-3-parts-1")));
            assertThat(application.isActive()).isTrue();
            assertThat(output).doesNotContain("cannot receive");
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
                        "--spring.kafka.consumer.properties[group.instance.id]=pod-3",
                        "--outbox.kafka.inboxes.orders.topics=static-orders",
                        "--outbox.kafka.inboxes.orders.group=" + GROUP,
                        "--outbox.kafka.inboxes.orders.concurrency=2",
                        "--outbox.kafka.inboxes.parts.topics=static-parts",
                        "--outbox.kafka.inboxes.parts.group=" + GROUP,
                        "--outbox.kafka.inboxes.parts.concurrency=2");
    }
}
