package dev.outbox.spring.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.FreshGauges;
import dev.outbox.testing.TestDatabase;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Configured limits, and tables that are older than the code. */
class HealthThresholdsTest {

    private final TestDatabase database = Applications.database();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void oldPendingEventIsDown() {
        publisher("outbox.health.max-oldest=1m").run((context) -> {
            insert(context, "1 second");
            assertUp(context);
            sql(context, "DELETE FROM events.outbox");
            insert(context, "2 minutes");
            assertDown(
                    context,
                    "the oldest pending event of stream default is 1[2-9]\\d\\.\\d+ s old, above outbox.health.max-oldest of 60.0 s");
        });
    }

    @Test
    void oldRetryingEventIsDown() {
        worker(new IllegalStateException("later"), "outbox.health.max-oldest=1m")
                .run((context) -> {
                    publish(context);
                    await().until(() -> count(context, "OPEN") == 1);
                    assertUp(context);
                    sql(context, "UPDATE events.outbox_delivery SET open_since = now() - interval '2 hours'");
                    assertDown(
                            context,
                            "the oldest retrying event of stream default is 72\\d\\d\\.\\d+ s old, above outbox.health.max-oldest of 60.0 s");
                });
    }

    @Test
    void deadAndOldEventsAreNoReasonWithoutLimits() {
        worker(new NonRetryableException("never")).run((context) -> {
            publish(context);
            await().until(() -> count(context, "DEAD") == 1);
            assertUp(context);
        });
    }

    @Test
    void exceededLimitOfAStoppedOutboxIsDown() {
        worker(new NonRetryableException("never"), "outbox.health.max-oldest=1m")
                .run((context) -> {
                    context.getSourceApplicationContext().stop();
                    insert(context, "2 minutes");
                    assertDown(context, "the oldest pending event of stream default is .+");
                    assertThat(health(context).getDetails()).containsEntry("polling", false);
                });
    }

    private ApplicationContextRunner publisher(String... properties) {
        return Applications.on(database)
                .withUserConfiguration(FreshGauges.class)
                .withPropertyValues("outbox.poller.enabled=false")
                .withPropertyValues(properties);
    }

    private ApplicationContextRunner worker(RuntimeException failure, String... properties) {
        return Applications.on(database)
                .withUserConfiguration(FreshGauges.class)
                .withPropertyValues(properties)
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("mail", Set.of("*"), (envelope) -> {
                            throw failure;
                        }));
    }

    /** Waits, because a count that takes too long is DOWN once. */
    private static void assertUp(ApplicationContext context) {
        await().untilAsserted(() -> {
            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).doesNotContainKey("reason");
        });
    }

    private static void assertDown(ApplicationContext context, String reason) {
        await().untilAsserted(() -> {
            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails().get("reason")).asString().matches(reason);
        });
    }

    private static void publish(ApplicationContext context) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(
                        (status) -> context.getBean(OutboxPublisher.class).publish("order", "1", new OrderPlaced(1)));
    }

    private static void insert(ApplicationContext context, String age) {
        sql(context, """
                INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)
                VALUES ('order', gen_random_uuid()::text, 1, 'OrderPlaced', '{}', now() - interval '%s')
                """.formatted(age));
    }

    private static void sql(ApplicationContext context, String sql) {
        context.getBean(JdbcClient.class).sql(sql).update();
    }

    private static long count(ApplicationContext context, String status) {
        return context.getBean(JdbcClient.class)
                .sql("SELECT count(*) FROM events.outbox_delivery WHERE status = ?")
                .param(status)
                .query(Long.class)
                .single();
    }

    private static Health health(ApplicationContext context) {
        return context.getBean("outboxHealthIndicator", HealthIndicator.class).health();
    }

    record OrderPlaced(int number) {}
}
