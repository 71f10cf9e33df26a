package dev.outbox;

import org.jspecify.annotations.Nullable;

/** Root of the unchecked exceptions that the outbox throws to an application. */
public abstract class OutboxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception. Not for applications. */
    protected OutboxException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
