package dev.outbox.sample.backtest.worker;

import dev.outbox.OutboxHandler;
import dev.outbox.sample.backtest.Backtests;
import dev.outbox.sample.events.BacktestCommand.RunBacktest;
import org.springframework.stereotype.Component;

/** Passes the commands of {@code everbit.backtest.command} to the backtests. Each result is stored and published once. */
@Component
class BacktestWorker {

    private final Backtests backtests;

    BacktestWorker(Backtests backtests) {
        this.backtests = backtests;
    }

    @OutboxHandler(id = "backtest-worker", deduplicate = true)
    void runBacktest(RunBacktest command) {
        backtests.run(command.backtestId());
    }
}
