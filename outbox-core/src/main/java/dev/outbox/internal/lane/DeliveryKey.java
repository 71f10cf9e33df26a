package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DueDelivery;

/** Identifies a delivery. */
public record DeliveryKey(long outboxId, String handlerId) {

    /** Returns the key of a claimed delivery. */
    public static DeliveryKey of(DueDelivery delivery) {
        return new DeliveryKey(delivery.envelope().id(), delivery.handlerId());
    }
}
