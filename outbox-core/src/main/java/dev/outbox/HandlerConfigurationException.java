package dev.outbox;

/**
 * A handler cannot be registered: another handler has its id, its signature is not supported, or its event type contradicts that of
 * another handler. The application does not start.
 */
public final class HandlerConfigurationException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception. Not for applications.
     *
     * @param message which handler, and what to do
     */
    public HandlerConfigurationException(String message) {
        super(message);
    }
}
