package dev.outbox.chaos.model;

/** State of an event at one handler. */
enum DeliveryStatus {
    /** Not settled for the first time yet. */
    NEW,
    DONE,
    OPEN,
    /** Dead, and its lane waits. */
    BLOCKING,
    DEAD,
    /** Removed by an operator. */
    SKIPPED
}
