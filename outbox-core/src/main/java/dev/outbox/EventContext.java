package dev.outbox;

import java.time.Instant;

/**
 * What a handler may ask about its attempt while it runs. A handler that takes long, or has effects that cannot be undone, can
 * find out whether the event is still its to handle. May be used by any thread.
 */
public interface EventContext {

    /**
     * Returns the number of the attempt: the first time that the event reaches the handler is 1. Counts attempts that have
     * failed and, for an event that has left the fast lane, those that were cut short by the end of their process.
     *
     * @return the number, at least 1
     */
    int attempt();

    /**
     * Returns when another process may take the event over, unless the lease is renewed. It is, three times in its life, for as long as the
     * handler runs and the database can be reached.
     *
     * @return the end of the lease, by the clock of this process
     */
    Instant leaseDeadline();

    /**
     * Says whether another process may have taken the event over: the claim was found gone, or could not be renewed in time.
     * Whatever the handler does from then on, its outcome will probably not be written, and the event is delivered again.
     *
     * @return whether the lease is lost
     */
    boolean isLeaseLost();
}
