package dev.outbox.sample.trading;

import dev.outbox.sample.demo.Traffic;
import java.math.BigDecimal;
import org.springframework.stereotype.Component;

/** Sends signals of a strategy that always buys. */
@Component
final class SignalTraffic implements Traffic {

    private final Signals signals;

    SignalTraffic(Signals signals) {
        this.signals = signals;
    }

    @Override
    public void next() {
        signals.accept(new Signal("demo", "always-more", "KRW-DEMO", Side.BUY, BigDecimal.ONE));
    }
}
