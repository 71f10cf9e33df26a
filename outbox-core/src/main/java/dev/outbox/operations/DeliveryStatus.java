package dev.outbox.operations;

/** Where a delivery that has left the fast lane stands in its lane. */
public enum DeliveryStatus {
    /** It is the next of its lane, and is attempted when its time has come. */
    DUE,
    /** An earlier delivery of its lane has to be done first. */
    WAITING,
    /** The handler has given up on it. It is attempted again only if an operator says so. */
    DEAD
}
