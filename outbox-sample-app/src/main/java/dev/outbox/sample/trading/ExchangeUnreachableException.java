package dev.outbox.sample.trading;

import java.time.Duration;

/** The exchange is unreachable. Nothing was sent, so a retry is safe. */
public final class ExchangeUnreachableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    public ExchangeUnreachableException(String message) {
        this(message, Duration.ZERO);
    }

    public ExchangeUnreachableException(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** Returns how long the exchange wants to be left alone. */
    Duration retryAfter() {
        return retryAfter;
    }
}
