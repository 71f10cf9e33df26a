package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

@ExtendWith(OutputCaptureExtension.class)
class SmallPoolTest {

    private final TestDatabase database = Applications.database();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void poolOfOneDeliversRetriesAndDeduplicates() {
        Applications.withSubscriptionsOn(database)
                .withBean(Struggling.class)
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "spring.datasource.hikari.connection-timeout=20000",
                        "outbox.poller.concurrency=8",
                        "outbox.retry.delays=0s")
                .run((context) -> {
                    Subscriptions subscriptions = context.getBean(Subscriptions.class);

                    IntStream.range(0, 100).forEach((i) -> subscriptions.start("s-" + i, "gold"));

                    await().until(() -> JdbcClient.create(database.dataSource())
                                    .sql("SELECT count(*) FROM events.outbox_published")
                                    .query(Long.class)
                                    .single()
                            == 100);
                    Struggling handlers = context.getBean(Struggling.class);
                    assertThat(context.getBean(Licensing.class).plans).hasSize(100);
                    assertThat(handlers.retried).hasSize(100);
                    assertThat(handlers.once).hasSize(100);
                });
    }

    @Test
    @Tag("full")
    void listenerIsNoLeakOfThePool(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("spring.datasource.hikari.leak-detection-threshold=2000")
                .run((context) -> {
                    await().until(() -> JdbcClient.create(database.dataSource())
                                    .sql("""
                                    SELECT count(*)
                                      FROM pg_stat_activity
                                     WHERE datname = current_database()
                                       AND application_name = 'outbox-listener'
                                       AND clock_timestamp() - backend_start > interval '4 seconds'
                                    """)
                                    .query(Long.class)
                                    .single()
                            == 1);
                    assertThat(output)
                            .doesNotContainPattern("leak detection triggered for .* on thread outbox-listener");
                });
    }

    @Test
    void pollsAndLogsWithoutDataSourceUrl(CapturedOutput output) {
        Applications.withoutDatabase()
                .withBean(DataSource.class, () -> new OpaqueDataSource(database.dataSource()))
                .withBean(Subscriptions.class)
                .withBean(Licensing.class)
                .withPropertyValues("outbox.poller.interval=100ms")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");

                    await().until(() -> context.getBean(Licensing.class).plans.size() == 1);
                    assertThat(output).containsOnlyOnce("This instance receives no wake-ups of other instances");
                });
    }

    static class Struggling {

        final List<String> retried = new CopyOnWriteArrayList<>();
        final List<String> once = new CopyOnWriteArrayList<>();
        private final Set<String> failed = ConcurrentHashMap.newKeySet();

        @OutboxHandler(id = "retried")
        void retry(SubscriptionStarted event, EventEnvelope envelope) {
            if (failed.add(envelope.aggregateId())) {
                throw new IllegalStateException("on purpose");
            }
            retried.add(envelope.aggregateId());
        }

        @OutboxHandler(id = "once", deduplicate = true)
        void once(SubscriptionStarted event, EventEnvelope envelope) {
            once.add(envelope.aggregateId());
        }
    }
}
