package dev.outbox.sample.events;

import java.util.UUID;

/** What backtest is told to do: travels in the stream {@code everbit.backtest.command}, about the aggregate {@code backtest}. */
public sealed interface BacktestCommand {

    /** Run a backtest that was asked for. */
    record RunBacktest(UUID backtestId) implements BacktestCommand {}
}
