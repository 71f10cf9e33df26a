package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxPublisher;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class OutboxAutoConfigurationTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eventReachesItsHandlerAndIsReplayed(boolean lazy) {
        ApplicationContextRunner application = Applications.withSubscriptionsOn(database);
        ApplicationContextRunner started = lazy
                ? application.withInitializer((context) ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                : application;
        started.run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");
            await().untilAsserted(() ->
                    assertThat(count(context, "events.outbox_published")).isOne());

            context.getBean(Replays.class).start(ReplayRequest.of("licensing.extend"), "ann", "to see");

            List<String> plans = context.getBean(Licensing.class).plans;
            await().untilAsserted(() -> assertThat(plans).containsExactly("1:gold", "1:gold"));
        });
    }

    @Test
    void disabledOutboxLeavesNoTrace() {
        try (TestDatabase empty = TestPostgres.shared().newDatabase()) {
            Applications.on(empty).withPropertyValues("outbox.enabled=false").run((context) -> {
                assertThat(context).hasNotFailed().doesNotHaveBean(OutboxPublisher.class);
                assertThat(context.getBeanDefinitionNames()).noneMatch((name) -> name.startsWith("outbox"));
                assertThat(count(context, "pg_namespace WHERE nspname IN ('events', 'audit')"))
                        .isZero();
            });
        }
    }

    @Test
    void propertiesThatNameNoHandlerAreReported(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.handlers.licensing.retry.max-attempts=3")
                .run((context) -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("outbox.handlers configures [licensing], but this application has only"
                                    + " the handlers [licensing.extend]");
                });
    }

    @Test
    void retentionFollowsItsCronExpressionInTheTimeZoneOfTheJvm() {
        Applications.on(database).run((context) -> {
            Instant next = context.getBean(OutboxDependencies.class)
                    .retentionSchedule()
                    .apply(Instant.parse("2026-05-04T00:00:00Z"));
            assertThat(next.atZone(ZoneId.systemDefault()).toLocalTime()).hasToString("03:30");
        });
        Applications.on(database)
                .withPropertyValues("outbox.retention.cron=-")
                .run((context) -> assertThat(
                                context.getBean(OutboxDependencies.class).retentionSchedule())
                        .isNull());
    }
}
