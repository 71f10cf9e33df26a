package dev.outbox.sample.trading;

/** The exchange could not be reached, so nothing was sent: safe to try again. */
public final class ExchangeUnreachableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ExchangeUnreachableException(String message) {
        super(message);
    }
}
