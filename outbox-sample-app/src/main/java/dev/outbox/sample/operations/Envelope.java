package dev.outbox.sample.operations;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Event with its metadata and its payload as JSON. */
record Envelope(
        int schemaVersion,
        UUID eventId,
        String type,
        Instant occurredAt,
        @Nullable String traceId,
        @Nullable String ownerId,
        @Nullable String strategyKey,
        @Nullable String market,
        @JsonRawValue String payload) {}
