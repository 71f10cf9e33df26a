package dev.outbox.internal.dispatch;

import dev.outbox.OnDead;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configured settings of a handler; where one is missing, the handler's own definition decides. */
public record HandlerSettings(
        @Nullable Duration timeout,
        @Nullable OnDead onDead,
        @Nullable CircuitBreaker circuit) {

    /** Settings of a handler that nothing is configured for. */
    public static final HandlerSettings NONE = new HandlerSettings(null, null, null);

    public HandlerSettings {
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException("timeout must be positive: " + timeout);
        }
    }

    /** Number of aggregates that must fail in a row to open the circuit, and how often one event probes an open one. */
    public record CircuitBreaker(int failures, Duration probeInterval) {

        public CircuitBreaker {
            if (failures < 1) {
                throw new IllegalArgumentException("failures must be at least 1: " + failures);
            }
            if (probeInterval.isNegative() || probeInterval.isZero()) {
                throw new IllegalArgumentException("probeInterval must be positive: " + probeInterval);
            }
        }
    }
}
