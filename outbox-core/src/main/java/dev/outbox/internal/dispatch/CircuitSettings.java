package dev.outbox.internal.dispatch;

import java.time.Duration;

/** When a handler rests because everything that it does fails. */
public record CircuitSettings(int failures, Duration probeInterval) {

    /** Checks the values. */
    public CircuitSettings {
        if (failures < 1) {
            throw new IllegalArgumentException("failures must be at least 1: " + failures);
        }
        if (probeInterval.isNegative() || probeInterval.isZero()) {
            throw new IllegalArgumentException("probeInterval must be positive: " + probeInterval);
        }
    }
}
