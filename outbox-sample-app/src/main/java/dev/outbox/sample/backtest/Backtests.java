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

/** Stores backtests and their results, each result once, and publishes it in the same transaction. */
@Service
public class Backtests {

    private static final String ADD = """
            INSERT INTO backtest.backtests (id, owner_id, strategy_key, market, candles)
            VALUES (:backtestId, :ownerId, :strategyKey, :market, :candles)
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String COMPLETE = """
            UPDATE backtest.backtests
               SET status = 'completed', trades = :trades, profit = :profit, reason = NULL
             WHERE id = :backtestId
               AND status <> 'completed'
            """;

    private static final String FAIL = """
            UPDATE backtest.backtests
               SET status = 'failed', reason = :reason
             WHERE id = :backtestId
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
        RunBacktest command = new RunBacktest(UUID.randomUUID(), ownerId, strategyKey, market, candles);
        add(command);
        Origin origin = new Origin(ownerId, strategyKey, market);
        publish(Streams.BACKTEST_COMMAND, command.backtestId(), command, origin);
        return command.backtestId();
    }

    /** Stores the job of a command, unless it is known. */
    void add(RunBacktest command) {
        jdbc.sql(ADD).paramSource(command).update();
    }

    /** Stores a result and publishes it, unless one is stored. It may follow a failure, after an operator's retry. */
    @Transactional
    void complete(Backtest job, Strategy.Result result) {
        storeAndPublish(job, new BacktestCompleted(job.id(), result.trades(), result.profit()));
    }

    /** Stores a failure and publishes it, unless a result or a failure is stored. */
    @Transactional
    void fail(Backtest job, String reason) {
        storeAndPublish(job, new BacktestFailed(job.id(), reason));
    }

    /** Stores a result, unless one is stored. Returns whether it did. */
    public boolean store(BacktestEvent event) {
        String sql = event instanceof BacktestCompleted ? COMPLETE : FAIL;
        return jdbc.sql(sql).paramSource(event).update() == 1;
    }

    Optional<Backtest> find(UUID id) {
        return jdbc.sql(FIND).param("id", id).query(Backtest.class).optional();
    }

    private void storeAndPublish(Backtest job, BacktestEvent result) {
        if (store(result)) {
            Origin origin = new Origin(job.ownerId(), job.strategyKey(), job.market());
            publish(Streams.BACKTEST_EVENT, job.id(), result, origin);
        }
    }

    private void publish(String stream, UUID id, Object payload, Origin origin) {
        bus.publish(new Message(stream, "backtest", id.toString(), payload, origin));
    }
}
