package dev.outbox.sample.trading;

import java.math.BigDecimal;

/** Side of an order. */
public enum Side {
    /** Increases the position. */
    BUY,
    /** Decreases the position. */
    SELL;

    /** Returns the change of the position. */
    BigDecimal change(BigDecimal volume) {
        return this == BUY ? volume : volume.negate();
    }
}
