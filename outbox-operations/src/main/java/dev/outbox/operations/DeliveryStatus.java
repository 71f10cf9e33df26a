package dev.outbox.operations;

/** Status of a delivery that is queued for redelivery. */
public enum DeliveryStatus {
    /** The delivery is attempted when its delay is over and no earlier one of its lane is left. */
    OPEN,
    /** All attempts failed. The delivery is attempted again only if an operator retries it. */
    DEAD
}
