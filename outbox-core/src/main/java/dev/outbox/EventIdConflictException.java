package dev.outbox;

/**
 * The event id that the caller gave belongs to a stored event of another aggregate or type. Nothing was stored.
 */
public final class EventIdConflictException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened, to which event, and what to do about it
     */
    public EventIdConflictException(String message) {
        super(message, null);
    }
}
