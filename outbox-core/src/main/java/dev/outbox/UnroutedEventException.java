package dev.outbox;

/**
 * No handler is registered anywhere for the event's type, and {@code outbox.publisher.unrouted} is {@code fail}. Raised
 * before any SQL runs.
 */
public final class UnroutedEventException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened, to which event, and what to do about it
     */
    public UnroutedEventException(String message) {
        super(message, null);
    }
}
