package dev.outbox.sample.backtest.worker;

import dev.outbox.OutboxHandler;
import dev.outbox.sample.backtest.BacktestRunner;
import dev.outbox.sample.events.BacktestCommand.RunBacktest;
import org.springframework.stereotype.Component;

/** Passes the commands of {@code everbit.backtest.command} to the runner. */
@Component
class BacktestWorker {

    private final BacktestRunner runner;

    BacktestWorker(BacktestRunner runner) {
        this.runner = runner;
    }

    @OutboxHandler(id = "backtest-worker")
    void runBacktest(RunBacktest command) {
        runner.run(command.backtestId());
    }
}
