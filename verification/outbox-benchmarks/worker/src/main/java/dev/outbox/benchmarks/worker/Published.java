package dev.outbox.benchmarks.worker;

import java.io.Serializable;

/**
 * Events that a process has published on many threads.
 *
 * @param first the number of the first event
 * @param events the number of events
 * @param begun the time when it began
 * @param ended the time when it ended
 */
public record Published(int first, int events, long begun, long ended) implements Serializable {

    /** Returns the duration. */
    public double seconds() {
        return (ended - begun) / 1e9;
    }
}
