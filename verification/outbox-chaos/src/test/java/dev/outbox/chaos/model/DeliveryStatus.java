package dev.outbox.chaos.model;

/** State of an event at one handler. */
enum DeliveryStatus {
    /** Not settled for the first time yet. */
    OPEN,
    DONE,
    /** Head of its lane. */
    DUE,
    WAITING,
    DEAD
}
