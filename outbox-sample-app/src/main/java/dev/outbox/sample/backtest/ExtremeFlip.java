package dev.outbox.sample.backtest;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.springframework.stereotype.Component;

/** Buys after a fall and sells after a rise. The prices are invented, and the same for each run of a market. */
@Component("EXTREME_FLIP")
final class ExtremeFlip implements Strategy {

    @Override
    public Result test(String market, int candles) {
        Random prices = new Random(market.hashCode());
        double price = 1000;
        double bought = 0;
        double profit = 0;
        int trades = 0;
        for (int candle = 0; candle < candles; candle++) {
            double next = price * (1 + prices.nextGaussian() / 100);
            if (bought == 0 && next < price * 0.99) {
                bought = next;
            } else if (bought > 0 && next > price * 1.01) {
                profit += next - bought;
                bought = 0;
                trades++;
            }
            price = next;
        }
        return new Result(trades, BigDecimal.valueOf(profit).setScale(2, RoundingMode.HALF_EVEN));
    }
}
