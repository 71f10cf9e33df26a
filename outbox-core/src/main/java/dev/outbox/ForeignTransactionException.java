package dev.outbox;

/**
 * An event was published in a transaction of another {@code DataSource} than the outbox's, so the two could not commit
 * together. Raised before any SQL runs.
 */
public final class ForeignTransactionException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened, to which event, and what to do about it
     */
    public ForeignTransactionException(String message) {
        super(message, null);
    }
}
