package dev.outbox;

/**
 * The calling thread has no transaction that can store an event. Thrown before any SQL runs.
 *
 * <ul>
 *   <li>No transaction is active, or the transaction has already ended.
 *   <li>The transaction is read-only.
 *   <li>The transaction does not use the outbox's {@code DataSource}, so it would not commit the event together with the domain change.
 * </ul>
 */
public final class InvalidTransactionException extends PublishException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception. Not for applications. */
    public InvalidTransactionException(String message) {
        super(message, null);
    }
}
