package dev.outbox.sample.events;

import java.math.BigDecimal;
import java.util.UUID;

/** What came of backtests: published by backtest in the stream {@code everbit.backtest.event}, about the aggregate {@code backtest}. */
public sealed interface BacktestEvent {

    /** A backtest is done. */
    record BacktestCompleted(UUID backtestId, int trades, BigDecimal profit) implements BacktestEvent {}

    /** A backtest cannot be done. */
    record BacktestFailed(UUID backtestId, String reason) implements BacktestEvent {}
}
