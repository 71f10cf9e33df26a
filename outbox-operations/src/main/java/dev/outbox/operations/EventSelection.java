package dev.outbox.operations;

import dev.outbox.operations.EventDetails.Status;
import org.jspecify.annotations.Nullable;

/**
 * Selection of events; {@code null} matches any. Immutable.
 *
 * @param aggregateType the aggregate type
 * @param aggregateId the aggregate id
 * @param eventType the event type
 * @param traceId the trace in which the event was published
 * @param status the status, as {@link EventPage.Entry} has it
 * @param before the id in the outbox before which to begin, such as {@link EventPage#next}; results are in descending order
 */
public record EventSelection(
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String eventType,
        @Nullable String traceId,
        @Nullable Status status,
        @Nullable Long before) {

    /**
     * Checks the values.
     *
     * @throws InvalidOperationException if a value breaks a rule
     */
    public EventSelection {
        Criteria.checkOptional("aggregate type", aggregateType);
        Criteria.checkOptional("aggregate id", aggregateId);
        Criteria.checkOptional("event type", eventType);
        Criteria.checkOptional("trace id", traceId);
        if (status == Status.PROCESSING) {
            throw new InvalidOperationException(
                    "the status must be PENDING, RETRYING, DEAD or PUBLISHED: a search leaves out claims");
        }
    }

    /**
     * Selects every event.
     *
     * @return the selection
     */
    public static EventSelection all() {
        return new EventSelection(null, null, null, null, null, null);
    }

    /**
     * Selects the events of an aggregate, or of all aggregates of a type.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id; {@code null} for all aggregates of the type
     * @return the selection
     */
    public static EventSelection ofAggregate(String aggregateType, @Nullable String aggregateId) {
        return new EventSelection(aggregateType, aggregateId, null, null, null, null);
    }
}
