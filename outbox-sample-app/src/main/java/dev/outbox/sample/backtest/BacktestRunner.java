package dev.outbox.sample.backtest;

import dev.outbox.sample.events.BacktestCommand.RunBacktest;
import java.util.Map;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** Computes backtests outside any transaction. A repeated or concurrent run computes again, but the first result is stored and published. */
@Service
public class BacktestRunner {

    private final Backtests backtests;
    private final Map<String, Strategy> strategies;

    BacktestRunner(Backtests backtests, Map<String, Strategy> strategies) {
        this.backtests = backtests;
        this.strategies = strategies;
    }

    /** Runs a backtest, unless it is completed. Stores one that another service has queued. */
    public void run(RunBacktest command) {
        backtests.add(command);
        Backtest job = backtests.find(command.backtestId()).orElseThrow();
        if (job.status().equals("completed")) {
            return;
        }
        Strategy strategy = strategies.get(job.strategyKey());
        if (strategy == null) {
            backtests.fail(job, "there is no such strategy");
        } else {
            backtests.complete(job, strategy.test(job.market(), job.candles()));
        }
    }

    /** Fails a backtest whose command is dead, unless it is completed. An operator's retry of the command runs it again. */
    public void gaveUp(UUID id, String reason) {
        backtests.find(id).ifPresent((job) -> backtests.fail(job, reason));
    }
}
