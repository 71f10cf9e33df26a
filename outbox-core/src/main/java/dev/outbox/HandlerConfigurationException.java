package dev.outbox;

/**
 * A handler cannot be registered: its id is taken, its signature is not supported, or its event type contradicts another
 * handler's. Fails the start of the application.
 */
public final class HandlerConfigurationException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message what happened, to which event, and what to do about it
     */
    public HandlerConfigurationException(String message) {
        super(message, null);
    }
}
