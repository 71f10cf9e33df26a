package dev.outbox;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * A stored event: what was published, and the place that the database gave it.
 *
 * @param id the place in the outbox; grows within an aggregate in the order of {@code aggregateSeq}
 * @param eventId the event's identity, the same at every delivery: the key for idempotent handling
 * @param stream the stream that the event travels in
 * @param aggregateType the kind of entity that the event is about
 * @param aggregateId the entity that the event is about; its events are handled in order
 * @param aggregateSeq the event's number within its aggregate, without gaps unless the publisher chose the numbers
 * @param eventType the event's name in PascalCase
 * @param schemaVersion the version of the payload's shape
 * @param payload the payload as JSON text; read back, in the form that {@code jsonb} normalises it to
 * @param headers what travels beside the payload, such as {@code traceId}
 * @param occurredAt when the event happened
 * @param replayed whether an operator asked for this delivery of an event that was published before
 */
public record EventEnvelope(
        long id,
        UUID eventId,
        String stream,
        String aggregateType,
        String aggregateId,
        long aggregateSeq,
        String eventType,
        int schemaVersion,
        String payload,
        Map<String, String> headers,
        Instant occurredAt,
        boolean replayed) {

    /** The header that carries the trace an event belongs to; it also names the key of the log context. */
    public static final String TRACE_ID = "traceId";

    /** Copies the headers, so that an envelope never changes. */
    public EventEnvelope {
        headers = Map.copyOf(headers);
    }

    /**
     * Creates an envelope of an event that is not replayed, for tests of handlers.
     *
     * @param id the place in the outbox
     * @param eventId the event's identity
     * @param stream the stream that the event travels in
     * @param aggregateType the kind of entity that the event is about
     * @param aggregateId the entity that the event is about
     * @param aggregateSeq the event's number within its aggregate
     * @param eventType the event's name
     * @param schemaVersion the version of the payload's shape
     * @param payload the payload as JSON text
     * @param headers what travels beside the payload
     * @param occurredAt when the event happened
     */
    public EventEnvelope(
            long id,
            UUID eventId,
            String stream,
            String aggregateType,
            String aggregateId,
            long aggregateSeq,
            String eventType,
            int schemaVersion,
            String payload,
            Map<String, String> headers,
            Instant occurredAt) {
        this(
                id,
                eventId,
                stream,
                aggregateType,
                aggregateId,
                aggregateSeq,
                eventType,
                schemaVersion,
                payload,
                headers,
                occurredAt,
                false);
    }

    /** Names the event without its payload, which may hold what no log should, in one line whatever its texts hold. */
    @Override
    public String toString() {
        String text = eventType + "[id=" + id + ", eventId=" + eventId + ", stream=" + stream + ", aggregate="
                + aggregateType + "/" + aggregateId + "#" + aggregateSeq + "]";
        return text.replaceAll("[\\p{Cntrl}\\x85\\u2028\\u2029]", "?");
    }
}
