package dev.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that knows when to retry, for example from an HTTP {@code Retry-After} header. It counts as a failed attempt, but
 * replaces the delay of the retry policy. {@code outbox.retry.non-retryable} does not apply to it.
 */
public class RetryAfterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Duration delay;

    /**
     * Creates the exception.
     *
     * @param delay how long to wait before the next attempt; not negative
     * @param message why the attempt failed
     * @throws IllegalArgumentException if the delay is negative
     */
    public RetryAfterException(Duration delay, String message) {
        this(delay, message, null);
    }

    /**
     * Creates the exception.
     *
     * @param delay how long to wait before the next attempt; not negative
     * @param message why the attempt failed
     * @param cause the cause, or {@code null}
     * @throws IllegalArgumentException if the delay is negative
     */
    public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
        super(message, cause);
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative: " + delay);
        }
        this.delay = delay;
    }

    /**
     * Returns how long to wait before the next attempt.
     *
     * @return the delay, not negative
     */
    public Duration delay() {
        return delay;
    }
}
