package dev.outbox.operations;

import dev.outbox.EventTypeName;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Request to deliver events to a handler again. By default it selects all events of the handler's types that are not archived, at 100
 * events per second.
 *
 * @param handlerId the handler
 * @param occurredFrom the earliest time of the event; {@code null} for no limit
 * @param occurredTo the time before which the event occurred; {@code null} for no limit
 * @param eventTypes the event types; empty for all types of the handler
 * @param aggregateType the aggregate type; {@code null} for any
 * @param aggregateId the aggregate; {@code null} for all aggregates of the type
 * @param eventId the only event; {@code null} for all
 * @param rate the maximum number of events per second
 */
public record ReplayRequest(
        String handlerId,
        @Nullable Instant occurredFrom,
        @Nullable Instant occurredTo,
        Set<String> eventTypes,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable UUID eventId,
        int rate) {

    private static final int DEFAULT_RATE = 100;

    /**
     * Copies the event types and checks the values.
     *
     * @throws InvalidOperationException if a value breaks a rule, the time range is empty, or the rate is below 1
     */
    public ReplayRequest {
        eventTypes = Set.copyOf(eventTypes);
        Criteria.checkText("handler id", handlerId);
        Criteria.checkRange(occurredFrom, occurredTo);
        Criteria.checkAggregate(aggregateType, aggregateId);
        for (String type : eventTypes) {
            if (!EventTypeName.isValid(type)) {
                throw new InvalidOperationException(
                        "event type '" + type + "' is invalid: an event type must " + EventTypeName.RULE);
            }
        }
        if (rate < 1) {
            throw new InvalidOperationException("rate must be at least 1 event per second: " + rate);
        }
    }

    /**
     * Requests all events of the types that a handler subscribes to.
     *
     * @param handlerId the handler
     * @return the request
     */
    public static ReplayRequest of(String handlerId) {
        return new ReplayRequest(handlerId, null, null, Set.of(), null, null, null, DEFAULT_RATE);
    }

    /**
     * Narrows the request to events that occurred in a time range.
     *
     * @param from the start, inclusive; {@code null} for no limit
     * @param to the end, exclusive; {@code null} for no limit
     * @return a changed copy
     */
    public ReplayRequest occurred(@Nullable Instant from, @Nullable Instant to) {
        return new ReplayRequest(handlerId, from, to, eventTypes, aggregateType, aggregateId, eventId, rate);
    }

    /**
     * Narrows the request to event types.
     *
     * @param types the event types
     * @return a changed copy
     */
    public ReplayRequest eventTypes(String... types) {
        return new ReplayRequest(
                handlerId,
                occurredFrom,
                occurredTo,
                Set.copyOf(List.of(types)),
                aggregateType,
                aggregateId,
                eventId,
                rate);
    }

    /**
     * Narrows the request to one aggregate, or to all aggregates of a type.
     *
     * @param type the aggregate type
     * @param id the aggregate id; {@code null} for all aggregates of the type
     * @return a changed copy
     */
    public ReplayRequest aggregate(String type, @Nullable String id) {
        Criteria.checkText("aggregate type", type);
        return new ReplayRequest(handlerId, occurredFrom, occurredTo, eventTypes, type, id, eventId, rate);
    }

    /**
     * Narrows the request to one event.
     *
     * @param id the event id
     * @return a changed copy
     */
    public ReplayRequest event(UUID id) {
        Criteria.checkEvent(id);
        return new ReplayRequest(handlerId, occurredFrom, occurredTo, eventTypes, aggregateType, aggregateId, id, rate);
    }

    /**
     * Sets the rate.
     *
     * @param perSecond the maximum number of events per second
     * @return a changed copy
     */
    public ReplayRequest rate(int perSecond) {
        return new ReplayRequest(
                handlerId, occurredFrom, occurredTo, eventTypes, aggregateType, aggregateId, eventId, perSecond);
    }
}
