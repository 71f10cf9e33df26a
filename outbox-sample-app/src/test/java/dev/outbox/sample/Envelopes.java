package dev.outbox.sample;

import dev.outbox.EventEnvelope;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Envelopes as the outbox would deliver them. */
public final class Envelopes {

    private Envelopes() {}

    public static EventEnvelope of(String aggregateType, String eventType, String payload) {
        return new EventEnvelope(
                1,
                UUID.randomUUID(),
                "default",
                aggregateType,
                UUID.randomUUID().toString(),
                1,
                eventType,
                1,
                payload,
                Map.of(),
                Instant.parse("2026-04-13T00:15:00Z"));
    }
}
