package dev.outbox.sample.events;

import java.util.UUID;

/** Commands to backtest, in the stream {@code everbit.backtest.command}, aggregate {@code backtest}. */
public sealed interface BacktestCommand {

    /** Run a backtest that was asked for. */
    record RunBacktest(UUID backtestId, String ownerId, String strategyKey, String market, int candles)
            implements BacktestCommand {}
}
