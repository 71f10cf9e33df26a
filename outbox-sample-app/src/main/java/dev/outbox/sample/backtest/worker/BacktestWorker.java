package dev.outbox.sample.backtest.worker;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.backtest.BacktestRunner;
import dev.outbox.sample.backtest.kafka.BacktestCopies;
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
    private final BacktestCopies copies;

    BacktestWorker(BacktestRunner runner, BacktestCopies copies) {
        this.runner = runner;
        this.copies = copies;
    }

    @OutboxHandler(id = "backtest-worker")
    void runBacktest(RunBacktest command, EventEnvelope envelope) {
        copies.add(envelope.headers());
        runner.run(command.backtestId());
    }

    @OutboxDeadLetter("backtest-worker")
    void gaveUp(DeadLetter letter) {
        String reason = Objects.requireNonNullElse(letter.errorMessage(), letter.errorCode());
        runner.gaveUp(UUID.fromString(letter.event().aggregateId()), reason);
    }
}
