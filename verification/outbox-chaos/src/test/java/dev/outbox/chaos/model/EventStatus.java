package dev.outbox.chaos.model;

/** State of an event. */
enum EventStatus {
    ABSENT,
    /** Its publisher has a transaction id. */
    WRITING,
    /** Its publisher has an event id, but against the rules no transaction id yet. */
    DRAWN_TOO_EARLY,
    /** Its publisher has a transaction id and an event id, and holds the counter of the aggregate. */
    DRAWN,
    PENDING,
    /** Every handler has either handled it or has a delivery of it. */
    DISPATCHED,
    ROLLED_BACK
}
