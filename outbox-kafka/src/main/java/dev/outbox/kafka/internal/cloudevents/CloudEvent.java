package dev.outbox.kafka.internal.cloudevents;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Event of another service, as its record describes it. */
public record CloudEvent(
        UUID id,
        String source,
        Type type,
        Aggregate aggregate,
        Instant time,
        Map<String, String> headers,
        String payload) {

    public CloudEvent {
        headers = Map.copyOf(headers);
    }

    /** Event type and its schema version. */
    public record Type(String name, int schemaVersion) {}

    /** Aggregate of the other service, and the sequence of the event in it. */
    public record Aggregate(String type, String id, long sequence) {}
}
