package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DeliveryOutcome;

/** Delivery that its first attempt did not complete. */
public record QueuedDelivery(long outboxId, String handlerId, DeliveryOutcome outcome) {}
