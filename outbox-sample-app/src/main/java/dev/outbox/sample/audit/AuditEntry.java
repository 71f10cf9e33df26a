package dev.outbox.sample.audit;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import java.util.UUID;

/** One event as it was recorded; the payload is JSON. */
record AuditEntry(
        UUID outboxEventId,
        String eventType,
        String aggregateType,
        String aggregateId,
        @JsonRawValue String payload,
        Instant occurredAt,
        Instant recordedAt) {}
