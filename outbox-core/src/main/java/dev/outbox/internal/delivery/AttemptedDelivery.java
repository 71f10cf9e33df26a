package dev.outbox.internal.delivery;

/** Redelivery with its outcome. */
public record AttemptedDelivery(DueDelivery delivery, DeliveryOutcome outcome) {

    /** Returns which delivery it is. */
    public DeliveryKey key() {
        return DeliveryKey.of(delivery);
    }
}
