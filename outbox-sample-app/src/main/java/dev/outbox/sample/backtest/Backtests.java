package dev.outbox.sample.backtest;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Origin;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.BacktestCommand.RunBacktest;
import dev.outbox.sample.events.BacktestEvent;
import dev.outbox.sample.events.BacktestEvent.BacktestCompleted;
import dev.outbox.sample.events.BacktestEvent.BacktestFailed;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Queues backtests, and runs them. */
@Service
public class Backtests {

    private static final String QUEUE = """
            INSERT INTO backtest.backtests (id, owner_id, strategy_key, market, candles)
            VALUES (:id, :ownerId, :strategyKey, :market, :candles)
            """;

    private static final String COMPLETE = """
            UPDATE backtest.backtests
               SET status = 'completed', trades = :trades, profit = :profit
             WHERE id = :id
               AND status = 'queued'
            """;

    private static final String FAIL = """
            UPDATE backtest.backtests
               SET status = 'failed', reason = :reason
             WHERE id = :id
               AND status = 'queued'
            """;

    private static final String FIND = """
            SELECT id, owner_id, strategy_key, market, candles, status, trades, profit, reason
              FROM backtest.backtests
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final EventBus bus;

    Backtests(JdbcClient jdbc, EventBus bus) {
        this.jdbc = jdbc;
        this.bus = bus;
    }

    /** Stores a job and the command to run it. */
    @Transactional
    UUID queue(String ownerId, String strategyKey, String market, int candles) {
        UUID id = UUID.randomUUID();
        jdbc.sql(QUEUE)
                .param("id", id)
                .param("ownerId", ownerId)
                .param("strategyKey", strategyKey)
                .param("market", market)
                .param("candles", candles)
                .update();
        publish(Streams.BACKTEST_COMMAND, id, new RunBacktest(id), new Origin(ownerId, strategyKey, market));
        return id;
    }

    /** Runs a job and publishes its result, in one transaction. */
    @Transactional
    public void run(UUID id) {
        Backtest job = find(id).orElseThrow(() -> new IllegalStateException("there is no backtest " + id));
        boolean known = job.strategyKey().equals("EXTREME_FLIP");
        BacktestEvent result = known ? complete(job) : fail(job, "there is no such strategy");
        Origin origin = new Origin(job.ownerId(), job.strategyKey(), job.market());
        publish(Streams.BACKTEST_EVENT, id, result, origin);
    }

    Optional<Backtest> find(UUID id) {
        return jdbc.sql(FIND).param("id", id).query(Backtest.class).optional();
    }

    private BacktestEvent complete(Backtest job) {
        Strategy.Result result = Strategy.flip(job.market(), job.candles());
        jdbc.sql(COMPLETE)
                .param("id", job.id())
                .param("trades", result.trades())
                .param("profit", result.profit())
                .update();
        return new BacktestCompleted(job.id(), result.trades(), result.profit());
    }

    private BacktestEvent fail(Backtest job, String reason) {
        jdbc.sql(FAIL).param("id", job.id()).param("reason", reason).update();
        return new BacktestFailed(job.id(), reason);
    }

    private void publish(String stream, UUID id, Object payload, Origin origin) {
        bus.publish(new Message(stream, "backtest", id.toString(), payload, origin));
    }
}
