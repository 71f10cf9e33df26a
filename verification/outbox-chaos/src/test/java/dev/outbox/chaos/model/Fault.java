package dev.outbox.chaos.model;

/** What may go wrong, at any step, as often as the bounds allow. */
enum Fault {
    /** A worker dies with all that it has in memory, and starts again. */
    WORKER_CRASH,
    /** A worker is suspended, or cut off, beyond the end of its lease. */
    LEASE_EXPIRY,
    /** The database crashes and loses the asynchronous commits since a moment of the checker's choice. */
    DATABASE_CRASH,
    /** A handler fails. */
    HANDLER_FAILURE,
    /** A publisher rolls back. */
    ROLLBACK,
    /** A settlement commits, but its worker does not get the answer. */
    LOST_ANSWER,
    /** A worker stops: it settles what is done and gives back the rest. */
    STOP,
    /** Another session locks the row of an event. */
    ROW_LOCK,
    /** Another session holds the row of a lane, such as one that adds deliveries to it. */
    LANE_ROW_LOCK,
    /** An operator retries a dead letter. */
    OPERATOR_RETRY,
    /** An operator skips a delivery. */
    OPERATOR_SKIP,
    /** A replay adds an event that was delivered to its lane. */
    REPLAY
}
