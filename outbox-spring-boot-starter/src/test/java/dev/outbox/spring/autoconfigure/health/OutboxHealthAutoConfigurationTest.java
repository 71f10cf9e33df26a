package dev.outbox.spring.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.CircuitBreaker;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.FreshGauges;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.internal.HealthDetails;
import dev.outbox.testing.TcpProxy;
import dev.outbox.testing.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

class OutboxHealthAutoConfigurationTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void runningOutboxIsUpAndShowsItsStreamsUntilItStops() {
        asked().withPropertyValues("outbox.streams.mail.batch-size=1", "outbox.poller.enabled=true")
                .withBean(HealthDetails.class, () -> () -> Map.of("stoppedInboxes", "orders"))
                .run((context) -> {
                    assertStatus(context, Status.UP, (health) -> {
                        assertThat(health.getDetails())
                                .containsEntry("polling", true)
                                .containsEntry("stoppedInboxes", "orders")
                                .extractingByKey("tables", InstanceOfAssertFactories.MAP)
                                .extractingByKey("events.outbox_published", InstanceOfAssertFactories.MAP)
                                .containsOnlyKeys("rows", "bytes", "rowsPerDay");
                        assertThat(streams(health)).containsOnlyKeys("default", "mail");
                    });

                    ConfigurableApplicationContext application = context.getSourceApplicationContext();
                    application.stop();
                    assertStatus(context, Status.OUT_OF_SERVICE);
                    application.start();
                    assertStatus(context, Status.UP);
                });
    }

    @Test
    void outboxThatNeedNotPollIsUpAndCountsTheBacklogOfThoseThatDo() {
        asked().run((context) -> {
            publish(context);

            assertStatus(context, Status.UP, (health) -> {
                assertThat(health.getDetails()).containsEntry("polling", false);
                assertThat(streams(health).get("default")).containsEntry("pending", 1L);
            });
        });
    }

    @Test
    @Timeout(110)
    void unreachableDatabaseIsDown() {
        asked().withPropertyValues("outbox.poller.enabled=false").run((context) -> {
            assertStatus(context, Status.UP);
            database.cutOff();
            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails()).containsKey("reason");
        });
    }

    @Test
    void lastCountsStandInForOnePeriod() {
        URI address = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        try (TcpProxy network = TcpProxy.to(address.getHost(), address.getPort())) {
            Applications.on(database)
                    .withUserConfiguration(OldGauges.class)
                    .withPropertyValues(
                            "spring.datasource.url=jdbc:postgresql://localhost:" + network.port() + address.getPath(),
                            "outbox.poller.enabled=false")
                    .run((context) -> {
                        assertThat(health(context).getDetails()).doesNotContainKey("reason");

                        network.delay(Duration.ofMillis(800));
                        List<Health> slow = healthUntil(context, (health) -> has(health, "reason"));
                        slow.addAll(
                                healthUntil(context, (health) -> reason(health).endsWith(" 0 s old")));
                        assertThat(slow).extracting(Health::getStatus).containsOnly(Status.UP);
                        assertThat(slow)
                                .allSatisfy(
                                        (health) -> assertThat(streams(health)).containsKey("default"));

                        network.blackHole();
                        List<Health> away = healthUntil(
                                context, (health) -> health.getStatus().equals(Status.DOWN));
                        assertThat(away)
                                .anyMatch((health) -> has(health, "reason")
                                        && health.getStatus().equals(Status.UP));
                        network.heal();
                    });
        }
    }

    private static List<Health> healthUntil(ApplicationContext context, Predicate<Health> end) {
        List<Health> answers = new ArrayList<>();
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            Health health = health(context);
            answers.add(health);
            return end.test(health);
        });
        return answers;
    }

    private static boolean has(Health health, String detail) {
        return health.getDetails().containsKey(detail);
    }

    private static String reason(Health health) {
        return String.valueOf(health.getDetails().get("reason"));
    }

    @Test
    @Timeout(110)
    void emptyPoolIsDownWithoutWaitingForIt() {
        asked().withPropertyValues("spring.datasource.hikari.maximum-pool-size=1", "outbox.poller.enabled=false")
                .run((context) -> {
                    try (Connection only = context.getBean(DataSource.class).getConnection()) {
                        assertThat(only.isValid(1)).isTrue();
                        assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                    }
                });
    }

    @Test
    void slowAndStuckHandlersAreDetailsOfAnOutboxThatIsUp() {
        CountDownLatch release = new CountDownLatch(1);
        asked().withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("hanging", Set.of("*"), (envelope) -> release.await()))
                .withPropertyValues("outbox.poller.lease=1s")
                .run((context) -> {
                    publish(context);

                    assertStatus(
                            context,
                            Status.UP,
                            (health) -> assertThat(health.getDetails())
                                    .extractingByKeys("slowHandlers", "stuckHandlers")
                                    .allSatisfy((detail) ->
                                            assertThat(detail).asString().contains("hanging", "OrderPlaced")));
                    release.countDown();
                });
    }

    @Test
    void failingPollersAreDetailsOfAnOutboxThatIsUp() {
        asked().withPropertyValues("outbox.poller.enabled=true").run((context) -> {
            assertThat(health(context).getDetails()).doesNotContainKey("failingStreams");
            JdbcClient.create(database.dataSource())
                    .sql("ALTER TABLE events.outbox_claim ADD CONSTRAINT refused CHECK (false)")
                    .update();
            publish(context);

            assertStatus(
                    context,
                    Status.UP,
                    (health) -> assertThat(health.getDetails()).containsEntry("failingStreams", Set.of("default")));
        });
    }

    @Test
    void openCircuitsAreDetailsOfAnOutboxThatIsUp() {
        asked().withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("mail", Set.of("*"), (envelope) -> {
                                    throw new IllegalStateException("the mail server is down");
                                })
                                .circuit(new CircuitBreaker(1, Duration.ofMinutes(1))))
                .run((context) -> {
                    assertThat(health(context).getDetails()).doesNotContainKey("openCircuits");
                    publish(context);

                    assertStatus(
                            context,
                            Status.UP,
                            (health) -> assertThat(health.getDetails()).containsEntry("openCircuits", Set.of("mail")));
                });
    }

    @Test
    void deadAndOldEventsAreNoReason() {
        asked().withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("mail", Set.of("*"), (envelope) -> {
                            throw new NonRetryableException("never");
                        }))
                .run((context) -> {
                    publish(context);
                    JdbcClient sql = context.getBean(JdbcClient.class);
                    await().until(() -> sql.sql("SELECT count(*) FROM events.outbox_delivery WHERE status = 'DEAD'")
                                    .query(Long.class)
                                    .single()
                            == 1);
                    // No instance polls the stream.
                    sql.sql("""
                            INSERT INTO events.outbox
                                (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)
                            VALUES ('elsewhere', 'order', '2', 1, 'OrderPlaced', '{}', now() - interval '1 day')
                            """).update();

                    assertStatus(
                            context,
                            Status.UP,
                            (health) -> assertThat(health.getDetails()).doesNotContainKey("reason"));
                });
    }

    @Test
    void indicatorCanBeDisabledOrReplaced() {
        Applications.on(database)
                .withPropertyValues("management.health.outbox.enabled=false")
                .run((context) -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
        HealthIndicator own = () -> Health.up().build();
        Applications.on(database)
                .withBean("outboxHealthIndicator", HealthIndicator.class, () -> own)
                .run((context) ->
                        assertThat(context.getBean(HealthIndicator.class)).isSameAs(own));
    }

    @Test
    void outboxWorksWithoutSpringBootHealth() {
        new ApplicationContextRunner()
                .withUserConfiguration(Imported.class)
                .withBean(DataSource.class, database::dataSource)
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run((context) -> assertThat(context)
                        .hasSingleBean(OutboxPublisher.class)
                        .doesNotHaveBean("outboxHealthIndicator"));
    }

    /** A health check that waits for the pool takes longer than its test may. */
    private ApplicationContextRunner asked() {
        return Applications.on(database)
                .withUserConfiguration(FreshGauges.class)
                .withPropertyValues("spring.datasource.hikari.connection-timeout=120000");
    }

    private static void publish(ApplicationContext context) {
        Applications.inTransaction(context, (outbox) -> outbox.publish("order", "1", new OrderPlaced(1)));
    }

    private static void assertStatus(ApplicationContext context, Status status) {
        assertStatus(context, status, (health) -> {});
    }

    /** Waits, because a count that takes too long is DOWN once. */
    private static void assertStatus(ApplicationContext context, Status status, Consumer<Health> details) {
        await().untilAsserted(() -> {
            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(status);
            details.accept(health);
        });
    }

    private static Health health(ApplicationContext context) {
        return context.getBean("outboxHealthIndicator", HealthIndicator.class).health();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> streams(Health health) {
        return (Map<String, Map<String, Object>>) health.getDetails().get("streams");
    }

    record OrderPlaced(int number) {}

    /** Imports by name, as Spring Boot does: a class that is loaded already would remember its annotations. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({OutboxAutoConfiguration.class, OutboxHealthAutoConfiguration.class})
    static class Imported {}

    /** Gauges that keep their counts for some time. */
    @Configuration(proxyBeanMethods = false)
    static class OldGauges {

        @Bean
        QueueGauges queueGauges(DataSource dataSource) {
            return new QueueGauges(dataSource, OutboxSchema.DEFAULT, Duration.ofSeconds(5));
        }
    }
}
