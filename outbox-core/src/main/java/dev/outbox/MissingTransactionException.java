package dev.outbox;

/**
 * An event was published outside a transaction, where it could not share the fate of the domain change. Raised before any
 * SQL runs.
 */
public final class MissingTransactionException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened, to which event, and what to do about it
     */
    public MissingTransactionException(String message) {
        super(message, null);
    }
}
