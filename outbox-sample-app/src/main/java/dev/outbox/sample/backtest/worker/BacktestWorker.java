package dev.outbox.sample.backtest.worker;

import dev.outbox.DeadLetter;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.backtest.BacktestRunner;
import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.events.BacktestCommand.RunBacktest;
import java.util.Objects;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Passes the commands of {@code everbit.backtest.command} to the runner. */
@InWorker
@Component
class BacktestWorker {

    private final BacktestRunner runner;

    BacktestWorker(BacktestRunner runner) {
        this.runner = runner;
    }

    @OutboxHandler(id = "backtest-worker")
    void runBacktest(RunBacktest command) {
        runner.run(command);
    }

    @OutboxDeadLetter("backtest-worker")
    void gaveUp(DeadLetter letter) {
        String reason = Objects.requireNonNullElse(letter.errorMessage(), letter.errorCode());
        runner.gaveUp(UUID.fromString(letter.event().aggregateId()), reason);
    }
}
