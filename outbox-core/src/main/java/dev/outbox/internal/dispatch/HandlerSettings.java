package dev.outbox.internal.dispatch;

import dev.outbox.OnDead;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a handler is treated. What is not said here, it says itself. */
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
