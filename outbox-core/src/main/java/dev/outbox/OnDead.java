package dev.outbox;

/** Policy for later events of the same aggregate after a dead delivery of a handler. */
public enum OnDead {
    /** The handler receives the next event. The dead delivery waits for an operator. */
    CONTINUE,
    /** The later events wait, in order, until an operator retries or skips the dead delivery. */
    BLOCK
}
