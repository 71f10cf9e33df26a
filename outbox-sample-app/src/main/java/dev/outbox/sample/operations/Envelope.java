package dev.outbox.sample.operations;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event as it would travel on any other transport; the payload is JSON. */
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
