package dev.outbox.sample.events;

import java.math.BigDecimal;
import java.util.UUID;

/** Results of backtests: published by backtest in the stream {@code everbit.backtest.event}, aggregate {@code backtest}. */
public sealed interface BacktestEvent {

    /** A backtest was completed. */
    record BacktestCompleted(UUID backtestId, int trades, BigDecimal profit) implements BacktestEvent {}

    /** A backtest failed. */
    record BacktestFailed(UUID backtestId, String reason) implements BacktestEvent {}
}
