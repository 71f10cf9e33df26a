package dev.outbox;

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
     * Returns whether another process may have taken over the event, because the claim is gone or was not renewed in time. The outcome of the
     * handler will then probably not be stored, and the event is delivered again.
     *
     * @return whether the lease is lost
     */
    boolean isLeaseLost();
}
