package dev.outbox;

import org.jspecify.annotations.Nullable;

/** Root of the unchecked exceptions that the outbox throws to an application. */
public abstract class OutboxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception. Not for applications.
     *
     * @param message what happened, to which event or setting, and what to do
     * @param cause the cause, or {@code null}
     */
    protected OutboxException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
