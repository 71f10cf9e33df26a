package dev.outbox.test;

import dev.outbox.test.StoredEvent.UnfinishedDelivery;
import java.util.UUID;

/** Delivery whose last attempt failed, and that no dead-letter method has taken. */
record FailedDelivery(UUID eventId, String event, UnfinishedDelivery delivery) {

    /** Describes the delivery in one line, without the payload. */
    @Override
    public String toString() {
        return event + ": " + delivery;
    }
}
