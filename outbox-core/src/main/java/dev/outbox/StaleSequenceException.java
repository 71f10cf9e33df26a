package dev.outbox;

/**
 * The caller's sequence number is not greater than the last one of the aggregate. Nothing was stored, and the transaction remains usable.
 */
public final class StaleSequenceException extends PublishException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception. Not for applications.
     *
     * @param message the sequence number, the aggregate and its last sequence number
     */
    public StaleSequenceException(String message) {
        super(message, null);
    }
}
