package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleApplication;
import dev.outbox.sample.SampleTest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** Two processes on one database, with renewals that run at the same time. Their pollers are off, because only the charges count. */
@Tag("full")
@SampleTest
@TestPropertySource(properties = "outbox.poller.enabled=false")
class RenewalsInTwoProcessesTest {

    private static final int DUE = 1010;

    @Autowired
    private Renewals renewals;

    @Autowired
    private JdbcConnectionDetails database;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void everySubscriptionIsChargedOnce() throws Exception {
        storeDueSubscriptions();
        try (ConfigurableApplicationContext other = startAnother()) {
            CountDownLatch start = new CountDownLatch(1);
            CompletableFuture<Void> one = runAfter(start, renewals);
            CompletableFuture<Void> two = runAfter(start, other.getBean(Renewals.class));
            start.countDown();
            CompletableFuture.allOf(one, two).join();
        }

        assertThat(count("SELECT count(*) FROM billing.charges c JOIN due ON due.id = subscription_id"))
                .isEqualTo(DUE);
        assertThat(count("""
                SELECT count(*)
                  FROM billing.simulated_collections
                  JOIN due ON due.billing_key_id = simulated_collections.billing_key_id
                 WHERE simulated_collections.status = 'paid'
                """)).isEqualTo(DUE / 2);
        assertThat(count("SELECT count(*) FROM due WHERE status = 'active' AND paid_periods = 2"))
                .isEqualTo(DUE / 2);
        assertThat(count("SELECT count(*) FROM due WHERE status = 'past_due' AND retry_count = 1"))
                .isEqualTo(DUE / 2);
        assertThat(count("SELECT count(*) FROM events.outbox JOIN due ON due.id::text = aggregate_id"))
                .isEqualTo(DUE);
    }

    /** Stores subscriptions whose first period is over. The bank declines every second one. */
    private void storeDueSubscriptions() {
        jdbc.sql("""
                WITH key AS (
                    INSERT INTO billing.billing_keys (id, user_id, status)
                    SELECT gen_random_uuid(), 'user-of-two', CASE WHEN number % 2 = 0 THEN 'deleted' ELSE 'issued' END
                      FROM generate_series(1, :due) number
                    RETURNING id
                )
                INSERT INTO billing.subscriptions
                       (id, guild_id, billing_key_id, plan_code, status, paid_periods, started_at, period_end)
                SELECT gen_random_uuid(), 'guild-of-two-' || id, id, 'pro', 'active', 1, now() - interval '1 month', now()
                  FROM key
                """).param("due", DUE).update();
    }

    private long count(String sql) {
        return jdbc.sql("WITH due AS (SELECT * FROM billing.subscriptions WHERE guild_id LIKE 'guild-of-two-%')\n"
                        + sql)
                .query(Long.class)
                .single();
    }

    private static CompletableFuture<Void> runAfter(CountDownLatch start, Renewals renewals) {
        Executor ownThread = (task) -> new Thread(task).start();
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        start.await();
                    } catch (InterruptedException ex) {
                        throw new IllegalStateException(ex);
                    }
                    renewals.runOnce();
                },
                ownThread);
    }

    private ConfigurableApplicationContext startAnother() {
        return new SpringApplicationBuilder(SampleApplication.class)
                .run(
                        "--server.port=0",
                        "--outbox.poller.enabled=false",
                        "--spring.datasource.url=" + database.getJdbcUrl(),
                        "--spring.datasource.username=" + database.getUsername(),
                        "--spring.datasource.password=" + database.getPassword());
    }
}
