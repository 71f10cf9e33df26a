package dev.outbox;

import java.time.Instant;

/**
 * Context of an attempt. A handler that runs long, or has effects that cannot be undone, can check whether its process still holds the event.
 * Thread-safe.
 */
public interface EventContext {

    /**
     * Returns the number of the attempt. The first attempt is 1. The number includes failed attempts and, for redeliveries, attempts that a
     * crash of the process ended.
     *
     * @return the number, at least 1
     */
    int attempt();

    /**
     * Returns when the lease expires. After that, another process may take over the event. While the handler runs and the database is
     * reachable, the lease is renewed at a third of its duration.
     *
     * @return the end of the lease, by the clock of this process
     */
    Instant leaseDeadline();

    /**
     * Returns whether another process may have taken over the event, because the claim is gone or was not renewed in time. The outcome of the
     * handler will then probably not be stored, and the event is delivered again.
     *
     * @return whether the lease is lost
     */
    boolean isLeaseLost();
}
