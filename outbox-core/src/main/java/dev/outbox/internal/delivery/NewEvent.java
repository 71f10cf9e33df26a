package dev.outbox.internal.delivery;

import dev.outbox.EventEnvelope;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A checked event, ready to be stored.
 *
 * @param eventId the identity
 * @param stream the stream
 * @param aggregate the entity
 * @param type the event type and its version
 * @param body the payload and the headers
 * @param occurredAt when it happened
 * @param chosen what the caller chose and the database has to check
 */
public record NewEvent(
        UUID eventId, String stream, Aggregate aggregate, Type type, Body body, Instant occurredAt, Chosen chosen) {

    /**
     * Joins the event and the place that the database gave it.
     *
     * @param stored the place
     * @return the event as stored
     */
    public EventEnvelope at(InsertedEvent stored) {
        return new EventEnvelope(
                stored.id(),
                eventId,
                stream,
                aggregate.type(),
                aggregate.id(),
                stored.aggregateSeq(),
                type.name(),
                type.version(),
                body.payload(),
                body.headers(),
                occurredAt);
    }

    /**
     * An entity.
     *
     * @param type its kind
     * @param id its id
     */
    public record Aggregate(String type, String id) implements Comparable<Aggregate> {

        @Override
        public int compareTo(Aggregate other) {
            int byType = type.compareTo(other.type);
            return byType != 0 ? byType : id.compareTo(other.id);
        }

        @Override
        public String toString() {
            return type + "/" + id;
        }
    }

    /**
     * An event type.
     *
     * @param name the name in PascalCase
     * @param version the version of the payload's shape
     */
    public record Type(String name, int version) {}

    /**
     * What the event carries.
     *
     * @param payload the payload as JSON text
     * @param headers what travels beside it
     * @param headersJson the headers as a JSON object
     */
    public record Body(String payload, Map<String, String> headers, String headersJson) {}

    /**
     * What the caller chose.
     *
     * @param eventId whether the event id is the caller's, so that it may be known already
     * @param aggregateSeq the caller's sequence, or {@code null}
     */
    public record Chosen(boolean eventId, @Nullable Long aggregateSeq) {}
}
