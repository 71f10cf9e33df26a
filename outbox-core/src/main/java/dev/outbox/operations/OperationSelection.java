package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selection of operations; {@code null} matches any. Immutable.
 *
 * @param eventId the event of the delivery
 * @param handlerId the handler, or the handler of the delivery
 * @param performedBy the operator
 * @param performed the time of the operation
 * @param olderThan the id before which to begin; results are in descending order
 */
public record OperationSelection(
        @Nullable UUID eventId,
        @Nullable String handlerId,
        @Nullable String performedBy,
        DeliverySelection.Span performed,
        @Nullable Long olderThan) {

    /**
     * Checks the values.
     *
     * @throws InvalidOperationException if a value breaks a rule
     */
    public OperationSelection {
        Criteria.checkOptional("handler id", handlerId);
        Criteria.checkOptional("the name of the operator", performedBy);
    }

    /**
     * Selects every operation.
     *
     * @return the selection
     */
    public static OperationSelection all() {
        return new OperationSelection(null, null, null, DeliverySelection.Span.ANY, null);
    }

    /**
     * Narrows the selection to an event.
     *
     * @param eventId the event
     * @return the narrower selection
     */
    public OperationSelection ofEvent(UUID eventId) {
        return new OperationSelection(eventId, handlerId, performedBy, performed, olderThan);
    }

    /**
     * Narrows the selection to a handler.
     *
     * @param handlerId the handler
     * @return the narrower selection
     */
    public OperationSelection ofHandler(String handlerId) {
        return new OperationSelection(eventId, handlerId, performedBy, performed, olderThan);
    }

    /**
     * Narrows the selection to an operator.
     *
     * @param performedBy the operator
     * @return the narrower selection
     */
    public OperationSelection by(String performedBy) {
        return new OperationSelection(eventId, handlerId, performedBy, performed, olderThan);
    }

    /**
     * Narrows the selection to a span of time.
     *
     * @param since the start, inclusive; {@code null} for no limit
     * @param before the end, exclusive; {@code null} for no limit
     * @return the narrower selection
     */
    public OperationSelection performed(@Nullable Instant since, @Nullable Instant before) {
        return new OperationSelection(
                eventId, handlerId, performedBy, new DeliverySelection.Span(since, before), olderThan);
    }

    /**
     * Narrows the selection to operations before another one, such as the last one of a page.
     *
     * @param id the id of that operation
     * @return the narrower selection
     */
    public OperationSelection olderThan(long id) {
        return new OperationSelection(eventId, handlerId, performedBy, performed, id);
    }
}
