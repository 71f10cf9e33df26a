package dev.outbox;

import org.jspecify.annotations.Nullable;

/** The root of every error that the outbox raises towards an application. Unchecked. */
public abstract class OutboxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an error.
     *
     * @param message what happened, to which event, and what to do about it
     * @param cause the error behind it, or {@code null}
     */
    protected OutboxException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
