package dev.outbox;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An event to publish, for callers that need to say more than {@link OutboxPublisher#publish(String, String, Object)} takes.
 * Immutable; the values are checked when it is published.
 */
public final class OutboxEvent {

    private final String aggregateType;
    private final String aggregateId;
    private final Object payload;
    private @Nullable UUID eventId;
    private @Nullable String eventType;
    private @Nullable String stream;
    private @Nullable Long aggregateSeq;
    private @Nullable Instant occurredAt;
    private Map<String, String> headers = Map.of();

    private OutboxEvent(String aggregateType, String aggregateId, Object payload) {
        this.aggregateType = aggregateType;
        this.aggregateId = aggregateId;
        this.payload = payload;
    }

    /**
     * Starts an event with what every event has.
     *
     * @param aggregateType the kind of entity, at most 255 characters
     * @param aggregateId the entity, at most 255 characters
     * @param payload what happened; written as JSON
     * @return the event
     */
    public static OutboxEvent of(String aggregateType, String aggregateId, Object payload) {
        return new OutboxEvent(aggregateType, aggregateId, payload);
    }

    /**
     * Chooses the event's identity. Publishing the same id again while the first event is still in the outbox stores nothing
     * and returns the first event.
     *
     * @param eventId the identity
     * @return a copy with that identity
     */
    public OutboxEvent withEventId(UUID eventId) {
        return copy((copy) -> copy.eventId = eventId);
    }

    /**
     * Names the event, where the payload's class does not.
     *
     * @param eventType the name in PascalCase
     * @return a copy with that name
     */
    public OutboxEvent withEventType(String eventType) {
        return copy((copy) -> copy.eventType = eventType);
    }

    /**
     * Chooses the stream, whatever the configuration says of the event's type. All events of an aggregate should travel in one
     * stream: order holds within a stream only.
     *
     * @param stream the stream
     * @return a copy in that stream
     */
    public OutboxEvent inStream(String stream) {
        return copy((copy) -> copy.stream = stream);
    }

    /**
     * Numbers the event with a sequence of the caller's, such as the version of the entity. It must exceed the last one of
     * the aggregate.
     *
     * @param aggregateSeq the number, from 1 to 2<sup>62</sup>
     * @return a copy with that number
     */
    public OutboxEvent withAggregateSeq(long aggregateSeq) {
        return copy((copy) -> copy.aggregateSeq = aggregateSeq);
    }

    /**
     * Says when the event happened, where that is not now.
     *
     * @param occurredAt the instant, in the years 1 to 9999; stored with microseconds
     * @return a copy with that instant
     */
    public OutboxEvent occurredAt(Instant occurredAt) {
        return copy((copy) -> copy.occurredAt = occurredAt);
    }

    /**
     * Adds a header. All headers as JSON may have as many bytes as a payload.
     *
     * @param name the header's name
     * @param value the header's value
     * @return a copy with that header
     */
    public OutboxEvent withHeader(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(name, value);
        return copy((copy) -> copy.headers = Collections.unmodifiableMap(all));
    }

    private OutboxEvent copy(Consumer<OutboxEvent> change) {
        OutboxEvent copy = new OutboxEvent(aggregateType, aggregateId, payload);
        copy.eventId = eventId;
        copy.eventType = eventType;
        copy.stream = stream;
        copy.aggregateSeq = aggregateSeq;
        copy.occurredAt = occurredAt;
        copy.headers = headers;
        change.accept(copy);
        return copy;
    }

    /**
     * Returns the kind of entity.
     *
     * @return the aggregate type
     */
    public String aggregateType() {
        return aggregateType;
    }

    /**
     * Returns the entity.
     *
     * @return the aggregate id
     */
    public String aggregateId() {
        return aggregateId;
    }

    /**
     * Returns what happened.
     *
     * @return the payload
     */
    public Object payload() {
        return payload;
    }

    /**
     * Returns the identity that the caller chose.
     *
     * @return the event id, or {@code null} where the publisher is to choose
     */
    public @Nullable UUID eventId() {
        return eventId;
    }

    /**
     * Returns the name that the caller chose.
     *
     * @return the event type, or {@code null} where the payload's class decides
     */
    public @Nullable String eventType() {
        return eventType;
    }

    /**
     * Returns the stream that the caller chose.
     *
     * @return the stream, or {@code null} where the configuration decides
     */
    public @Nullable String stream() {
        return stream;
    }

    /**
     * Returns the number that the caller chose.
     *
     * @return the sequence, or {@code null} where the outbox is to count
     */
    public @Nullable Long aggregateSeq() {
        return aggregateSeq;
    }

    /**
     * Returns when the event happened.
     *
     * @return the instant, or {@code null} for the time of publishing
     */
    public @Nullable Instant occurredAt() {
        return occurredAt;
    }

    /**
     * Returns what travels beside the payload.
     *
     * @return the headers, unmodified and in the order in which they were added
     */
    public Map<String, String> headers() {
        return headers;
    }
}
