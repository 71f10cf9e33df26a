package dev.outbox.internal.dispatch;

import java.time.Duration;

/**
 * When a handler rests because everything that it does fails.
 *
 * @param failures how many aggregates have to fail, with no success in between, for the circuit to open
 * @param probeInterval how long it is open before one event is tried; repeated until one succeeds
 */
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
