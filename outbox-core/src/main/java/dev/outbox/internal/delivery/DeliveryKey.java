package dev.outbox.internal.delivery;

/**
 * Identifies a delivery.
 *
 * @param outboxId the event
 * @param handlerId the handler
 */
public record DeliveryKey(long outboxId, String handlerId) {

    /**
     * Returns the key of a claimed delivery.
     *
     * @param delivery the delivery
     * @return its key
     */
    public static DeliveryKey of(DueDelivery delivery) {
        return new DeliveryKey(delivery.envelope().id(), delivery.handlerId());
    }
}
