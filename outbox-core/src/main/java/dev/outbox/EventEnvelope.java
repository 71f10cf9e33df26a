package dev.outbox;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * Stored event with its metadata.
 *
 * @param id the id in the outbox; increases with {@code sequence} within an aggregate
 * @param eventId the event id, the same at every delivery: the key for idempotent handlers
 * @param stream the stream
 * @param aggregateType the aggregate type
 * @param aggregateId the aggregate id; events of one aggregate are handled in order
 * @param sequence the sequence within the aggregate, without gaps unless the publisher sets it
 * @param eventType the event type
 * @param schemaVersion the schema version of the stored payload
 * @param payload the stored payload as JSON text, which no {@link EventUpcaster} has changed; after reading, in the normalized form of {@code jsonb}
 * @param headers the headers, such as {@code traceId}
 * @param occurredAt when the event happened
 * @param replayed whether this delivery belongs to a replay
 */
public record EventEnvelope(
        long id,
        UUID eventId,
        String stream,
        String aggregateType,
        String aggregateId,
        long sequence,
        String eventType,
        int schemaVersion,
        String payload,
        Map<String, String> headers,
        Instant occurredAt,
        boolean replayed) {

    /** Name of the header with the trace id, and of its key in the log context. */
    public static final String TRACE_ID = "traceId";

    /** Name of the header with the {@linkplain OutboxEvent#withOrigin origin} of an event that another service published. */
    public static final String ORIGIN = "origin";

    /** Copies the headers. */
    public EventEnvelope {
        headers = Map.copyOf(headers);
    }

    /** Describes the event in one line, without its payload, which may be confidential. */
    @Override
    public String toString() {
        String text = eventType + "[id=" + id + ", eventId=" + eventId + ", stream=" + stream + ", aggregate="
                + aggregateType + "/" + aggregateId + "#" + sequence
                + (headers.containsKey(TRACE_ID) ? ", traceId=" + headers.get(TRACE_ID) : "") + "]";
        return text.replaceAll("[\\p{Cntrl}\\x85\\u2028\\u2029]", "?");
    }
}
