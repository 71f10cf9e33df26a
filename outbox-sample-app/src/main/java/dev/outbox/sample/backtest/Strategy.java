package dev.outbox.sample.backtest;

import java.math.BigDecimal;

/** Trading strategy. Its bean name is its key. */
interface Strategy {

    /** Computes the trades and the profit on the historical prices of a market. It may take long. */
    Result test(String market, int candles);

    /** Trades of a strategy, and their profit. */
    record Result(int trades, BigDecimal profit) {}
}
