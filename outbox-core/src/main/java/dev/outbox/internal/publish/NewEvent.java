package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.registry.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A checked event, ready to be stored, and what its publisher gave. */
record NewEvent(
        UUID eventId, String stream, Aggregate aggregate, Type type, Body body, Instant occurredAt, OutboxEvent given) {

    /** Joins the event and the place that the database gave it. */
    EventEnvelope at(long id, long sequence) {
        return new EventEnvelope(
                id,
                eventId,
                stream,
                aggregate.type(),
                aggregate.id(),
                sequence,
                type.name(),
                type.version(),
                body.payload(),
                body.headers(),
                occurredAt,
                false);
    }

    /** Returns whether the event takes its place in the order of its aggregate later. */
    boolean isScheduled() {
        return given.deliverAfter() != null || given.deliverAt() != null;
    }

    /** Returns whether the time at which a scheduled event is due is less than a duration away. */
    boolean isDueWithin(Instant now, Duration away) {
        Duration after = given.deliverAfter();
        Instant at = given.deliverAt();
        return after != null ? after.compareTo(away) < 0 : at != null && at.isBefore(now.plus(away));
    }

    /** Returns whether the outbox counts the event, rather than its publisher. */
    boolean isCounted() {
        return given.sequence() == null;
    }

    /** Returns what all events of the aggregate type have in common with this one. Each unordered event is an aggregate of its own. */
    TypeRule typeRule() {
        return new TypeRule(isCounted(), isUnordered(aggregate) ? null : origin());
    }

    /** Returns the service that published the event, if it is another one. */
    @Nullable
    String origin() {
        return body.headers().get(EventEnvelope.ORIGIN);
    }

    static boolean isUnordered(Aggregate aggregate) {
        return aggregate.type().equals(OutboxEvent.UNORDERED);
    }

    /** Returns the values by which handlers take the event. */
    Subscription values() {
        return Subscription.of(type.name(), aggregate.type(), stream, Subscription.isReceived(body.headers()));
    }

    /** What all events of an aggregate type share: whether the outbox counts them, and their origin if it is another service. */
    record TypeRule(boolean counted, @Nullable String origin) {}

    /** An event type. */
    record Type(String name, int version) {}

    /** Serialized payload and headers. */
    record Body(String payload, Map<String, String> headers, String headersJson) {}
}
