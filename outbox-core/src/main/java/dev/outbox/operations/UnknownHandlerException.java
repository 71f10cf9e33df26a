package dev.outbox.operations;

/**
 * An operator named a handler that no process has registered, or that none has shown for so long that it is retired. Nothing has been
 * changed.
 */
public final class UnknownHandlerException extends InvalidOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message which handler, and what to do
     */
    public UnknownHandlerException(String message) {
        super(message);
    }
}
