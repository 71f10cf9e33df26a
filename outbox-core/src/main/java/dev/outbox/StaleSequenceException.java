package dev.outbox;

/**
 * The sequence that the caller gave an event does not exceed the last one of its aggregate. Nothing was stored, and the
 * transaction is still usable.
 */
public final class StaleSequenceException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened, to which event, and what to do about it
     */
    public StaleSequenceException(String message) {
        super(message, null);
    }
}
