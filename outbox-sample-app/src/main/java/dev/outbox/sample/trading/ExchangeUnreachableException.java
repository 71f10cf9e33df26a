package dev.outbox.sample.trading;

/** The exchange is unreachable. Nothing was sent, so a retry is safe. */
public final class ExchangeUnreachableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ExchangeUnreachableException(String message) {
        super(message);
    }
}
