package dev.outbox.internal.delivery;

import java.util.UUID;

/**
 * The place that the database gave an event.
 *
 * @param id the place in the outbox
 * @param eventId the event's identity
 * @param aggregateSeq the number within the aggregate
 */
public record InsertedEvent(long id, UUID eventId, long aggregateSeq) {}
