package dev.outbox.sample;

import dev.outbox.EventEnvelope;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Envelopes as the outbox would deliver them. */
public final class Envelopes {

    private Envelopes() {}

    public static EventEnvelope of(String aggregateType, String eventType, String payload) {
        return of(aggregateType, UUID.randomUUID().toString(), 1, eventType, payload, Map.of());
    }

    public static EventEnvelope of(
            String aggregateType,
            String aggregateId,
            long sequence,
            String eventType,
            String payload,
            Map<String, String> headers) {
        return of(
                aggregateType,
                aggregateId,
                sequence,
                eventType,
                payload,
                headers,
                Instant.parse("2026-04-13T00:15:00Z"));
    }

    public static EventEnvelope of(
            String aggregateType,
            String aggregateId,
            long sequence,
            String eventType,
            String payload,
            Map<String, String> headers,
            Instant occurredAt) {
        return new EventEnvelope(
                sequence,
                UUID.randomUUID(),
                "default",
                aggregateType,
                aggregateId,
                sequence,
                eventType,
                1,
                payload,
                headers,
                occurredAt,
                false);
    }
}
