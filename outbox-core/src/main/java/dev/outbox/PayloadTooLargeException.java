package dev.outbox;

/**
 * The payload, as UTF-8 encoded JSON, exceeds {@code outbox.publisher.max-payload-size}. Raised before any SQL runs.
 */
public final class PayloadTooLargeException extends InvalidEventException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message the size, the limit and the event
     */
    public PayloadTooLargeException(String message) {
        super(message);
    }
}
