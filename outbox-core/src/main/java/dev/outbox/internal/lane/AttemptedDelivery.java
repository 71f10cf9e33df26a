package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.DueDelivery;

/** Redelivery with its outcome. */
public record AttemptedDelivery(DueDelivery delivery, DeliveryOutcome outcome) {

    /** Returns which delivery it is. */
    public DeliveryKey key() {
        return DeliveryKey.of(delivery);
    }
}
