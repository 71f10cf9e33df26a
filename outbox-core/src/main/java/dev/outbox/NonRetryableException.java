package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that can never succeed with this event. The delivery becomes dead without further attempts, whatever the
 * configuration lists.
 */
public class NonRetryableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message why no attempt can succeed; stored with the dead delivery
     */
    public NonRetryableException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message why no attempt can succeed; stored with the dead delivery
     * @param cause the cause, or {@code null}
     */
    public NonRetryableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
