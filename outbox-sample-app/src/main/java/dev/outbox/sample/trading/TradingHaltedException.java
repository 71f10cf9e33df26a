package dev.outbox.sample.trading;

/** A trading rule forbids the order. An operator must decide. */
public final class TradingHaltedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TradingHaltedException(String message) {
        super(message);
    }
}
