package dev.outbox.sample.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Event with its current status. */
record OutboxEntry(
        long id,
        UUID eventId,
        String stream,
        String eventType,
        String aggregate,
        long aggregateSeq,
        String status,
        @Nullable String lockedBy,
        @Nullable Instant claimedAt,
        @Nullable Instant lockedUntil,
        int publishAttempt,
        int attemptCount,
        int retryCount,
        @Nullable Instant nextRetryAt,
        @Nullable Instant lastAttemptAt,
        @Nullable String lastErrorCode,
        @Nullable String lastError,
        Instant createdAt,
        Instant updatedAt,
        Instant occurredAt,
        @Nullable Instant publishedAt) {}
