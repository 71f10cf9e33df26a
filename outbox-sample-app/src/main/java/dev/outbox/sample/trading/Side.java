package dev.outbox.sample.trading;

import java.math.BigDecimal;

/** Which way an order goes. */
public enum Side {
    /** More of it. */
    BUY,
    /** Less of it. */
    SELL;

    /** What an executed volume does to a position. */
    BigDecimal change(BigDecimal volume) {
        return this == BUY ? volume : volume.negate();
    }
}
