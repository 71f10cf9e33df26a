package dev.outbox.operations;

import org.jspecify.annotations.Nullable;

/**
 * Selection of events; {@code null} matches any. Immutable.
 *
 * @param aggregateType the aggregate type
 * @param aggregateId the aggregate id
 * @param eventType the event type
 * @param traceId the trace in which the event was published
 * @param before the id in the outbox before which to begin; results are in descending order
 */
public record EventSelection(
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String eventType,
        @Nullable String traceId,
        @Nullable Long before) {

    /**
     * Checks the values.
     *
     * @throws InvalidOperationException if a value breaks a rule, or an aggregate id has no type
     */
    public EventSelection {
        Criteria.checkAggregate(aggregateType, aggregateId);
        Criteria.checkOptional("event type", eventType);
        Criteria.checkOptional("trace id", traceId);
    }

    /**
     * Selects every event.
     *
     * @return the selection
     */
    public static EventSelection all() {
        return new EventSelection(null, null, null, null, null);
    }

    /**
     * Narrows the selection to an aggregate, or to all aggregates of a type.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id; {@code null} for all aggregates of the type
     * @return the narrower selection
     */
    public EventSelection ofAggregate(String aggregateType, @Nullable String aggregateId) {
        return new EventSelection(aggregateType, aggregateId, eventType, traceId, before);
    }

    /**
     * Narrows the selection to an event type.
     *
     * @param eventType the event type
     * @return the narrower selection
     */
    public EventSelection ofEventType(String eventType) {
        return new EventSelection(aggregateType, aggregateId, eventType, traceId, before);
    }

    /**
     * Narrows the selection to a trace.
     *
     * @param traceId the trace id, as in the header {@code traceId}
     * @return the narrower selection
     */
    public EventSelection ofTrace(String traceId) {
        return new EventSelection(aggregateType, aggregateId, eventType, traceId, before);
    }

    /**
     * Narrows the selection to events before a place, such as {@link EventPage#next}.
     *
     * @param id the id in the outbox
     * @return the narrower selection
     */
    public EventSelection before(long id) {
        return new EventSelection(aggregateType, aggregateId, eventType, traceId, id);
    }
}
