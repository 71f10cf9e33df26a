package dev.outbox.operations;

/** Status of a delivery that is queued for redelivery. */
public enum DeliveryStatus {
    /** The delivery is the head of its lane and is attempted when its delay is over. */
    DUE,
    /** The delivery waits for an earlier one of its lane. */
    WAITING,
    /** All attempts failed. The delivery is attempted again only if an operator retries it. */
    DEAD
}
