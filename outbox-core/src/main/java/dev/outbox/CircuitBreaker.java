package dev.outbox;

import java.time.Duration;

/**
 * Circuit breaker of a handler. It opens after failures of enough aggregates in a row; then the handler's events wait, and one attempt per
 * interval probes whether it closes again.
 *
 * @param failures the number of aggregates that must fail in a row, at least 1
 * @param probeInterval how often an attempt probes an open circuit; positive
 */
public record CircuitBreaker(int failures, Duration probeInterval) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public CircuitBreaker {
        if (failures < 1) {
            throw new IllegalArgumentException("failures must be at least 1: " + failures);
        }
        if (probeInterval.isNegative() || probeInterval.isZero()) {
            throw new IllegalArgumentException("probeInterval must be positive: " + probeInterval);
        }
    }
}
