package dev.outbox.internal.dispatch;

import dev.outbox.OnDead;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a handler is treated. What is not said here, it says itself.
 *
 * @param timeout how long it may run before it is interrupted and the attempt counts as failed; {@code null} for as long as it takes
 * @param onDead what happens behind an event that it has given up on; {@code null} for what the handler says
 * @param circuit when it rests after failures; {@code null} for never
 */
public record HandlerSettings(
        @Nullable Duration timeout,
        @Nullable OnDead onDead,
        @Nullable CircuitSettings circuit) {

    /** Nothing special. */
    public static final HandlerSettings NONE = new HandlerSettings(null, null, null);

    /** Checks the values. */
    public HandlerSettings {
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException("timeout must be positive: " + timeout);
        }
    }
}
