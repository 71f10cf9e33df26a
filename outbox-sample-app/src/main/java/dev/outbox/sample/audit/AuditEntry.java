package dev.outbox.sample.audit;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Recorded event with its payload as JSON. */
record AuditEntry(
        UUID outboxEventId,
        String eventType,
        String aggregateType,
        String aggregateId,
        @JsonRawValue String payload,
        @Nullable String traceId,
        Instant occurredAt,
        Instant recordedAt) {}
