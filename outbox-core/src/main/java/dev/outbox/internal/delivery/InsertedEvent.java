package dev.outbox.internal.delivery;

import java.util.UUID;

/** The place that the database gave an event. */
public record InsertedEvent(long id, UUID eventId, long aggregateSeq) {}
