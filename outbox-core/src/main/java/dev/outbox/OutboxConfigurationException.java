package dev.outbox;

import org.jspecify.annotations.Nullable;

/** The application's handlers, its database role or the outbox tables do not fit together. */
public abstract class OutboxConfigurationException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception. Not for applications.
     *
     * @param message what does not fit, and what to do
     * @param cause the cause, or {@code null}
     */
    protected OutboxConfigurationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
