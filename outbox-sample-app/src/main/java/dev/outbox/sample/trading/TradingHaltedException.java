package dev.outbox.sample.trading;

/** A rule of the house forbids the order. Somebody has to decide. */
public final class TradingHaltedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TradingHaltedException(String message) {
        super(message);
    }
}
