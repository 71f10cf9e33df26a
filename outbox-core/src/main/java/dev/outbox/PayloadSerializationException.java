package dev.outbox;

/** The payload cannot be written as JSON. Raised before any SQL runs. */
public final class PayloadSerializationException extends InvalidEventException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message the event and the payload's class
     * @param cause what the JSON mapper said
     */
    public PayloadSerializationException(String message, Throwable cause) {
        super(message, cause);
    }
}
