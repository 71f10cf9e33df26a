package dev.outbox.internal.publish;

import java.util.UUID;

/** Id and sequence assigned by the database. */
record InsertedEvent(long id, UUID eventId, long aggregateSeq) {}
