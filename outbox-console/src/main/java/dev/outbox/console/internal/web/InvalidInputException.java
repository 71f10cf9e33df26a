package dev.outbox.console.internal.web;

/** A field of a form has a value that cannot be read. */
public final class InvalidInputException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Names the field and what it takes. */
    public InvalidInputException(String message) {
        super(message);
    }
}
