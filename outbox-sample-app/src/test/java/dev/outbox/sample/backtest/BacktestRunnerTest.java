package dev.outbox.sample.backtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.NonRetryableException;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BacktestCommand.RunBacktest;
import dev.outbox.sample.events.BacktestEvent.BacktestCompleted;
import dev.outbox.sample.events.BacktestEvent.BacktestFailed;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Backtests take long: they hold no transaction and no connection, and each result counts once. */
@SampleTest
@Import(BacktestRunnerTest.Strategies.class)
class BacktestRunnerTest {

    private static final Strategy.Result RESULT = new Strategy.Result(1, BigDecimal.TEN);

    private final String owner = "OWNER-" + UUID.randomUUID();

    @Autowired
    private Api api;

    @Autowired
    private Backtests backtests;

    @Autowired
    private LongStrategy longStrategy;

    @Autowired
    private BrokenStrategy brokenStrategy;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void computationHoldsNoTransactionAndNoConnection() throws InterruptedException {
        String id = api.backtest(owner, "LONG");
        assertThat(longStrategy.started.await(60, TimeUnit.SECONDS)).isTrue();
        try {
            await().atMost(Api.DEADLINE)
                    .untilAsserted(() -> assertThat(sessionsInTransaction()).isZero());
            assertThat(api.events()).extracting("status").containsExactly("PROCESSING");
        } finally {
            longStrategy.end.countDown();
        }

        assertThat(api.awaitPublished()).containsExactly("RunBacktest", "BacktestCompleted");
        assertThat(api.find("/backtests/" + id)).containsEntry("status", "completed");
        assertThat(longStrategy.inTransaction).isFalse();
        assertThat(longStrategy.withConnection).isFalse();
    }

    @Test
    void redeliveredCommandDoesNotRunACompletedBacktest() {
        RunBacktest command = command();
        runnerOf((market, candles) -> RESULT).run(command);

        runnerOf((market, candles) -> new Strategy.Result(2, BigDecimal.ONE)).run(command);

        assertThat(published(command)).containsExactly("BacktestCompleted");
        assertThat(api.find("/backtests/" + command.backtestId())).containsEntry("trades", 1);
    }

    @Test
    void resultOfAnotherServiceIsStoredOnce() {
        RunBacktest command = command();
        UUID id = command.backtestId();
        backtests.add(command);

        assertThat(backtests.store(new BacktestFailed(id, "no prices"))).isTrue();
        assertThat(backtests.store(new BacktestFailed(id, "no prices"))).isFalse();
        assertThat(backtests.store(new BacktestCompleted(id, 1, BigDecimal.TEN)))
                .isTrue();
        assertThat(backtests.store(new BacktestCompleted(id, 2, BigDecimal.ONE)))
                .isFalse();
        assertThat(backtests.store(new BacktestFailed(id, "too late"))).isFalse();

        assertThat(api.find("/backtests/" + id))
                .containsEntry("status", "completed")
                .containsEntry("trades", 1)
                .containsEntry("reason", null);
        assertThat(published(command)).isEmpty();
    }

    @Test
    void deadCommandFailsTheBacktestUntilAnOperatorRetriesIt() {
        String id = api.backtest(owner, "BROKEN");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "status")
                        .containsExactly(tuple("RunBacktest", "DEAD"), tuple("BacktestFailed", "PUBLISHED")));
        assertThat(api.find("/backtests/" + id))
                .containsEntry("status", "failed")
                .containsEntry("reason", "no prices");
        assertThat(api.messagesTo(owner)).containsExactly("backtest failed: no prices");

        brokenStrategy.broken.set(false);
        api.operate(
                "retry",
                "handler=backtest-worker&status=DEAD&event="
                        + api.events().get(0).get("eventId"));

        assertThat(api.awaitPublished()).containsExactly("RunBacktest", "BacktestFailed", "BacktestCompleted");
        assertThat(api.find("/backtests/" + id))
                .containsEntry("status", "completed")
                .containsEntry("reason", null);
    }

    private BacktestRunner runnerOf(Strategy strategy) {
        return new BacktestRunner(backtests, Map.of("SCRIPTED", strategy));
    }

    /** Returns a command of another service, whose backtest is unknown. */
    private RunBacktest command() {
        return new RunBacktest(UUID.randomUUID(), owner, "SCRIPTED", "KRW-BTC", 1000);
    }

    private List<String> published(RunBacktest command) {
        return jdbc.sql("""
                        SELECT event_type
                          FROM events.outbox
                         WHERE aggregate_type = 'backtest'
                           AND aggregate_id = :id
                         ORDER BY aggregate_seq
                        """)
                .param("id", command.backtestId().toString())
                .query(String.class)
                .list();
    }

    /** Returns how many sessions have a transaction open and wait for the application. */
    private long sessionsInTransaction() {
        return jdbc.sql("""
                        SELECT count(*)
                          FROM pg_stat_activity
                         WHERE datname = current_database()
                           AND state = 'idle in transaction'
                        """).query(Long.class).single();
    }

    /** Takes as long as the test wants. */
    static final class LongStrategy implements Strategy {

        private final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final AtomicBoolean inTransaction = new AtomicBoolean(true);
        private final AtomicBoolean withConnection = new AtomicBoolean(true);
        private final DataSource dataSource;

        LongStrategy(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        @Override
        public Result test(String market, int candles) {
            inTransaction.set(TransactionSynchronizationManager.isActualTransactionActive());
            withConnection.set(TransactionSynchronizationManager.hasResource(dataSource));
            started.countDown();
            try {
                end.await();
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
            return RESULT;
        }
    }

    /** Fails for good until the test fixes it. */
    static final class BrokenStrategy implements Strategy {

        private final AtomicBoolean broken = new AtomicBoolean(true);

        @Override
        public Result test(String market, int candles) {
            if (broken.get()) {
                throw new NonRetryableException("no prices");
            }
            return RESULT;
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Strategies {

        @Bean("LONG")
        LongStrategy longStrategy(DataSource dataSource) {
            return new LongStrategy(dataSource);
        }

        @Bean("BROKEN")
        BrokenStrategy brokenStrategy() {
            return new BrokenStrategy();
        }
    }
}
