package dev.outbox.internal.delivery;

/** Delivery that its first attempt did not complete. */
public record QueuedDelivery(long outboxId, String handlerId, DeliveryOutcome outcome) {}
