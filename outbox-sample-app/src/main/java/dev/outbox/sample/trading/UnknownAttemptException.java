package dev.outbox.sample.trading;

/** A command names an attempt that does not exist. An operator must investigate. */
public final class UnknownAttemptException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnknownAttemptException(String message) {
        super(message);
    }
}
