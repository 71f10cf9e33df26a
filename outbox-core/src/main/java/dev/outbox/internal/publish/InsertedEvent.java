package dev.outbox.internal.publish;

import java.util.UUID;

/** Id and sequence assigned by the database. */
public record InsertedEvent(long id, UUID eventId, long aggregateSeq) {}
