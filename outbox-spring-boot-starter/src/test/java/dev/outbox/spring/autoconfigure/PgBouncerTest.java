package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.PgBouncer;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Applications behind a pooler that runs each of their transactions in another session. */
@Tag("full")
@EnabledIf(value = "dev.outbox.testing.PgBouncer#isInstalled", disabledReason = "pgbouncer is not on the PATH")
@ExtendWith(OutputCaptureExtension.class)
class PgBouncerTest {

    private static final int EVENTS = 300;
    private static final int AGGREGATES = 15;
    private static final String DEAF = "receives no notifications";
    private static final String PREPARED = "prepareThreshold=0";

    private final TestDatabase database = Applications.database();
    private PgBouncer pooler;

    @BeforeEach
    void startPooler() {
        pooler = PgBouncer.start(database, 4);
    }

    @AfterEach
    void stopPooler() {
        pooler.close();
        database.close();
    }

    @Test
    void deliversRetriesAndDeduplicatesInOrder(CapturedOutput output) {
        throughPooler("?prepareThreshold=0")
                .withBean(Numbered.class)
                .withPropertyValues(
                        "outbox.direct-url=" + database.jdbcUrl(),
                        "outbox.poller.concurrency=4",
                        "outbox.retry.delays=0s")
                .run((context) -> {
                    Subscriptions subscriptions = context.getBean(Subscriptions.class);

                    IntStream.range(0, EVENTS).forEach((i) -> subscriptions.start("s-" + i % AGGREGATES, "gold"));

                    await().untilAsserted(() -> assertThat(count(context, "events.outbox_published"))
                            .isEqualTo(EVENTS));
                    Numbered handlers = context.getBean(Numbered.class);
                    for (Map<String, List<Long>> seen : List.of(handlers.retried, handlers.once)) {
                        assertThat(seen).hasSize(AGGREGATES);
                        assertThat(seen.values())
                                .allSatisfy((sequences) -> assertThat(sequences)
                                        .isSorted()
                                        .doesNotHaveDuplicates()
                                        .hasSize(EVENTS / AGGREGATES));
                    }
                    assertThat(output).doesNotContain(PREPARED).doesNotContain("ERROR");
                    assertThat(sessionStateLeft()).isEmpty();
                });
    }

    @Test
    void directUrlReceivesWakeUps(CapturedOutput output) {
        ApplicationContextRunner direct = throughPooler("?prepareThreshold=0")
                .withPropertyValues("outbox.direct-url=" + database.jdbcUrl(), "outbox.poller.interval=1h");
        direct.run((worker) -> {
            awaitListener();
            direct.withPropertyValues("outbox.poller.enabled=false").run((web) -> {
                web.getBean(Subscriptions.class).start("1", "gold");

                await().until(() -> !worker.getBean(Licensing.class).plans.isEmpty());
            });
            assertThat(output).doesNotContain(DEAF);
        });
    }

    @Test
    void warnsOnceThatNoWakeUpsArrive(CapturedOutput output) {
        throughPooler("?prepareThreshold=0").run((context) -> {
            await().untilAsserted(() -> assertThat(output).contains(DEAF));
            context.getBean(Subscriptions.class).start("1", "gold");

            await().until(() -> !context.getBean(Licensing.class).plans.isEmpty());
            assertThat(output)
                    .containsOnlyOnce(DEAF)
                    .contains("such as PgBouncer in transaction mode", "Set outbox.direct-url", PREPARED);
        });
    }

    @Test
    void testsNothingWithoutWakeUps(CapturedOutput output) {
        throughPooler("?prepareThreshold=0")
                .withPropertyValues("outbox.poller.notify=false")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    await().until(() -> !context.getBean(Licensing.class).plans.isEmpty());
                    assertThat(output).doesNotContain(DEAF);
                    assertThat(Thread.getAllStackTraces().keySet())
                            .extracting(Thread::getName)
                            .doesNotContain("outbox-listener", "outbox-notifier");
                });
    }

    private ApplicationContextRunner throughPooler(String parameters) {
        return Applications.withSubscriptionsOn(database)
                .withPropertyValues("spring.datasource.url=" + pooler.jdbcUrl() + parameters);
    }

    private void awaitListener() {
        await().until(() -> JdbcClient.create(database.dataSource())
                        .sql("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND application_name = 'outbox-listener'")
                        .query(Long.class)
                        .single()
                == 1);
    }

    /** Settings that would reach other clients, except those that PgBouncer keeps for each of them. */
    private List<String> sessionStateLeft() {
        JdbcClient shared = JdbcClient.create(new DriverManagerDataSource(
                pooler.jdbcUrl() + "?prepareThreshold=0", database.username(), database.password()));
        return shared.sql("""
                        SELECT name || ' = ' || setting
                          FROM pg_settings
                         WHERE source = 'session'
                           AND name NOT IN ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'extra_float_digits')
                        """).query(String.class).list();
    }

    /** Fails every event once for one handler, and never for the other. */
    static class Numbered {

        final Map<String, List<Long>> retried = new ConcurrentHashMap<>();
        final Map<String, List<Long>> once = new ConcurrentHashMap<>();
        private final Set<Long> failed = ConcurrentHashMap.newKeySet();

        @OutboxHandler(id = "retried")
        void retry(SubscriptionStarted event, EventEnvelope envelope) {
            if (failed.add(envelope.id())) {
                throw new IllegalStateException("on purpose");
            }
            note(retried, envelope);
        }

        @OutboxHandler(id = "once", deduplicate = true)
        void once(SubscriptionStarted event, EventEnvelope envelope) {
            note(once, envelope);
        }

        private static void note(Map<String, List<Long>> seen, EventEnvelope envelope) {
            seen.computeIfAbsent(envelope.aggregateId(), (id) -> new CopyOnWriteArrayList<>())
                    .add(envelope.sequence());
        }
    }
}
