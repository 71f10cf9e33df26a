package dev.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Event to publish, with more options than {@link OutboxPublisher#publish(String, String, Object)}. Immutable. The publisher validates the
 * values.
 */
public final class OutboxEvent {

    /** Aggregate type of {@linkplain #unordered events that need no order}. */
    public static final String UNORDERED = "unordered";

    private final String aggregateType;
    private final String aggregateId;
    private final Object payload;
    private @Nullable UUID eventId;
    private @Nullable String eventType;
    private @Nullable Integer schemaVersion;
    private @Nullable String stream;
    private @Nullable Long sequence;
    private @Nullable Instant occurredAt;
    private @Nullable String origin;
    private @Nullable Duration deliverAfter;
    private @Nullable Instant deliverAt;
    private @Nullable String key;
    private boolean keepExisting;
    private Map<String, String> headers = Map.of();

    private OutboxEvent(String aggregateType, String aggregateId, Object payload) {
        this.aggregateType = aggregateType;
        this.aggregateId = aggregateId;
        this.payload = payload;
    }

    /**
     * Creates an event.
     *
     * @param aggregateType the aggregate type, at most 255 characters
     * @param aggregateId the aggregate id, at most 255 characters
     * @param payload the payload, written as JSON
     * @return the event
     */
    public static OutboxEvent of(String aggregateType, String aggregateId, Object payload) {
        return new OutboxEvent(aggregateType, aggregateId, payload);
    }

    /**
     * Creates an event that needs no order. It is an aggregate of its own, of type {@link #UNORDERED}: it waits for no other event, no event
     * waits for it, and it leaves no counter behind. It cannot be {@linkplain #deliverAfter scheduled}.
     *
     * @param payload the payload, written as JSON
     * @return the event
     */
    public static OutboxEvent unordered(Object payload) {
        return of(UNORDERED, UUID.randomUUID().toString(), payload).withSequence(1);
    }

    /**
     * Sets the event id. Publishing the same id again while the first event is in the outbox stores nothing and returns the first
     * event.
     *
     * @param eventId the event id
     * @return a copy with that id
     */
    public OutboxEvent withEventId(UUID eventId) {
        return copy((copy) -> copy.eventId = eventId);
    }

    /**
     * Sets the event type, instead of the one that the payload class determines.
     *
     * @param eventType the event type, see {@link EventTypeName}
     * @return a copy with that type
     */
    public OutboxEvent withEventType(String eventType) {
        return copy((copy) -> copy.eventType = eventType);
    }

    /**
     * Sets the schema version of the payload, instead of the one that {@link EventType} gives.
     *
     * @param schemaVersion the version, at least 1
     * @return a copy with that version
     */
    public OutboxEvent withSchemaVersion(int schemaVersion) {
        return copy((copy) -> copy.schemaVersion = schemaVersion);
    }

    /**
     * Sets the stream, instead of the one that the configuration determines. Publish all events of an aggregate to one stream, because
     * order holds only within a stream.
     *
     * @param stream the stream
     * @return a copy in that stream
     */
    public OutboxEvent inStream(String stream) {
        return copy((copy) -> copy.stream = stream);
    }

    /**
     * Sets the sequence to the version of the entity that this transaction changes, instead of the number that the outbox counts. The
     * transaction then locks no counter: the row of the entity orders the publishers. Use it for all events of an aggregate type or for none.
     *
     * <p>The version must be the one that the transaction writes, so flush a JPA entity first. It must grow with each event of the
     * aggregate, and may leave gaps. Versions that do not come from a row that the transaction has changed lose the order of events.
     *
     * @param sequence the sequence, from 0 to 2<sup>62</sup>
     * @return a copy with that sequence
     */
    public OutboxEvent withSequence(long sequence) {
        return copy((copy) -> copy.sequence = sequence);
    }

    /**
     * Sets the time of the event, instead of the time of publishing.
     *
     * @param occurredAt the time, in the years 1 to 9999, stored with microseconds
     * @return a copy with that time
     */
    public OutboxEvent occurredAt(Instant occurredAt) {
        return copy((copy) -> copy.occurredAt = occurredAt);
    }

    /**
     * Schedules the event: it takes its place in the order of its aggregate when the time has passed, and not before. Until then
     * {@link OutboxPublisher#cancel} withdraws it. Such an event has neither an event id nor a sequence of the caller's own.
     * If the other events of its aggregate type have one, give it an aggregate type of its own.
     *
     * @param deliverAfter the time from publishing, by the clock of the database; zero or more
     * @return a copy that is scheduled
     */
    public OutboxEvent deliverAfter(Duration deliverAfter) {
        return copy((copy) -> {
            copy.deliverAfter = Objects.requireNonNull(deliverAfter, "deliverAfter");
            copy.deliverAt = null;
        });
    }

    /**
     * Schedules the event like {@link #deliverAfter(Duration)}, for a point in time.
     *
     * @param deliverAt the time, by the clock of the database, in the years 1 to 9999; at once if it has passed
     * @return a copy that is scheduled
     */
    public OutboxEvent deliverAt(Instant deliverAt) {
        return copy((copy) -> {
            copy.deliverAt = Objects.requireNonNull(deliverAt, "deliverAt");
            copy.deliverAfter = null;
        });
    }

    /**
     * Sets the key of a scheduled event. At most one scheduled event of an aggregate has a key: publishing another replaces its time and
     * content.
     *
     * @param key the key, at most 255 characters
     * @return a copy with that key
     */
    public OutboxEvent withKey(String key) {
        return copy((copy) -> copy.key = key);
    }

    /**
     * Keeps the scheduled event that has the same key, if there is one, instead of replacing it.
     *
     * @return a copy that replaces nothing
     */
    public OutboxEvent keepExisting() {
        return copy((copy) -> copy.keepExisting = true);
    }

    /**
     * Marks an event that another service published and this one stores: handlers find the origin in the header
     * {@link EventEnvelope#ORIGIN}. All events of an aggregate type have the same origin, or none: an aggregate type has one owner.
     *
     * @param origin the service that published it, such as a URI, at most 255 characters
     * @return a copy with that origin
     */
    public OutboxEvent withOrigin(String origin) {
        return copy((copy) -> copy.origin = origin);
    }

    /**
     * Adds a header. The limit for the size of a payload also applies to all headers together, as JSON.
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
        copy.schemaVersion = schemaVersion;
        copy.stream = stream;
        copy.sequence = sequence;
        copy.occurredAt = occurredAt;
        copy.origin = origin;
        copy.deliverAfter = deliverAfter;
        copy.deliverAt = deliverAt;
        copy.key = key;
        copy.keepExisting = keepExisting;
        copy.headers = headers;
        change.accept(copy);
        return copy;
    }

    /** {@return the aggregate type} */
    public String aggregateType() {
        return aggregateType;
    }

    /** {@return the aggregate id} */
    public String aggregateId() {
        return aggregateId;
    }

    /** {@return the payload} */
    public Object payload() {
        return payload;
    }

    /** {@return the event id, or {@code null} if the publisher chooses it} */
    public @Nullable UUID eventId() {
        return eventId;
    }

    /** {@return the event type, or {@code null} if the payload class determines it} */
    public @Nullable String eventType() {
        return eventType;
    }

    /** {@return the schema version, or {@code null} if the payload class determines it} */
    public @Nullable Integer schemaVersion() {
        return schemaVersion;
    }

    /** {@return the stream, or {@code null} if the configuration determines it} */
    public @Nullable String stream() {
        return stream;
    }

    /** {@return the sequence, or {@code null} if the outbox counts it} */
    public @Nullable Long sequence() {
        return sequence;
    }

    /** {@return the time of the event, or {@code null} for the time of publishing} */
    public @Nullable Instant occurredAt() {
        return occurredAt;
    }

    /** {@return the service that published the event, or {@code null} for an event of this one} */
    public @Nullable String origin() {
        return origin;
    }

    /** {@return the time from publishing after which the event is due, or {@code null}} */
    public @Nullable Duration deliverAfter() {
        return deliverAfter;
    }

    /** {@return the time at which the event is due, or {@code null}} */
    public @Nullable Instant deliverAt() {
        return deliverAt;
    }

    /** {@return the key of a scheduled event, or {@code null}} */
    public @Nullable String key() {
        return key;
    }

    /** {@return whether a scheduled event with the same key stays} */
    public boolean keepsExisting() {
        return keepExisting;
    }

    /** {@return the headers, unmodifiable and in the order in which they were added} */
    public Map<String, String> headers() {
        return headers;
    }
}
