package dev.outbox;

/** What happens to later events of the same aggregate when a handler has given up on one. */
public enum OnDead {
    /** The handler goes on with the next event; the dead one waits for an operator. */
    CONTINUE,
    /** The handler's later events of the aggregate wait, in order, until an operator has retried or skipped the dead one. */
    BLOCK
}
