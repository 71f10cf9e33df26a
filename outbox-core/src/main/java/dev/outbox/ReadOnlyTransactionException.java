package dev.outbox;

/**
 * An event was published in a read-only transaction, which cannot store it. Raised before any SQL runs.
 */
public final class ReadOnlyTransactionException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened, to which event, and what to do about it
     */
    public ReadOnlyTransactionException(String message) {
        super(message, null);
    }
}
