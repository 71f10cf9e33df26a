package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * An event breaks a rule: an id is missing or too long, the event type is not PascalCase or belongs to another class, the payload
 * has no property to read, or a text cannot be stored by PostgreSQL. Raised before any SQL runs, so the caller's transaction is
 * still usable.
 */
public class InvalidEventException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message the value and the rule that it breaks
     */
    public InvalidEventException(String message) {
        super(message, null);
    }

    InvalidEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
