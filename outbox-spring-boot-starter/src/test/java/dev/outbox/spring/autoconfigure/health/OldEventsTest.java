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

class OldEventsTest {

    private final TestDatabase database = Applications.database();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void deadAndOldEventsAreNoReason() {
        worker(new NonRetryableException("never")).run((context) -> {
            publish(context);
            await().until(() -> count(context, "DEAD") == 1);
            insertOld(context);
            assertUp(context);
        });
    }

    private ApplicationContextRunner worker(RuntimeException failure) {
        return Applications.on(database)
                .withUserConfiguration(FreshGauges.class)
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

    private static void publish(ApplicationContext context) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(
                        (status) -> context.getBean(OutboxPublisher.class).publish("order", "1", new OrderPlaced(1)));
    }

    /** No instance polls its stream. */
    private static void insertOld(ApplicationContext context) {
        context.getBean(JdbcClient.class).sql("""
                INSERT INTO events.outbox
                    (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)
                VALUES ('elsewhere', 'order', '2', 1, 'OrderPlaced', '{}', now() - interval '1 day')
                """).update();
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
