package dev.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that knows when to retry, for example from an HTTP {@code Retry-After} header. It counts as a failed attempt, unless
 * it is {@linkplain #uncounted uncounted}, but replaces the delay of the retry policy. {@code outbox.retry.non-retryable} does not apply
 * to it. The outbox shortens a delay of more than 365 days to 365 days.
 */
public class RetryAfterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Duration delay;
    private final boolean counted;

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
        this(delay, message, cause, true);
    }

    private RetryAfterException(Duration delay, String message, @Nullable Throwable cause, boolean counted) {
        super(message, cause);
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative: " + delay);
        }
        this.delay = delay;
        this.counted = counted;
    }

    /**
     * Creates an exception for an attempt that does not count, because something is missing that the event cannot help: a system that is
     * down, or an earlier message. However often it is thrown, the delivery does not become dead. The next attempt comes after half a
     * second at the earliest.
     *
     * @param delay how long to wait before the next attempt; not negative
     * @param message why the attempt failed
     * @return the exception
     * @throws IllegalArgumentException if the delay is negative
     */
    public static RetryAfterException uncounted(Duration delay, String message) {
        return uncounted(delay, message, null);
    }

    /**
     * Creates an exception for an attempt that does not count, see {@link #uncounted(Duration, String)}.
     *
     * @param delay how long to wait before the next attempt; not negative
     * @param message why the attempt failed
     * @param cause the cause, or {@code null}
     * @return the exception
     * @throws IllegalArgumentException if the delay is negative
     */
    public static RetryAfterException uncounted(Duration delay, String message, @Nullable Throwable cause) {
        return new RetryAfterException(delay, message, cause, false);
    }

    /** {@return how long to wait before the next attempt, not negative} */
    public final Duration delay() {
        return delay;
    }

    /** {@return whether the attempt counts as a failed one} */
    public final boolean isCounted() {
        return counted;
    }
}
