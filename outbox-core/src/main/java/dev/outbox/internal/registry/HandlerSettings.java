package dev.outbox.internal.registry;

import dev.outbox.CircuitBreaker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configured settings of a handler; where one is missing, the handler's own definition decides. */
public record HandlerSettings(
        @Nullable Duration timeout, @Nullable CircuitBreaker circuit) {

    /** Settings of a handler that nothing is configured for. */
    public static final HandlerSettings NONE = new HandlerSettings(null, null);

    public HandlerSettings {
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException("timeout must be positive: " + timeout);
        }
    }
}
