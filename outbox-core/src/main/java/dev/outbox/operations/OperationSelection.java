package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which recorded operations are meant; {@code null} stands for any. Immutable; the values are checked when it is used.
 *
 * @param eventId the event to which something was done
 * @param handlerId the handler to which, or to a delivery of which, something was done
 * @param performedBy who did it
 * @param performed when it was done
 * @param olderThan the place in the record before which to begin, going back
 */
public record OperationSelection(
        @Nullable UUID eventId,
        @Nullable String handlerId,
        @Nullable String performedBy,
        DeliverySelection.Span performed,
        @Nullable Long olderThan) {

    /**
     * Selects every operation.
     *
     * @return the selection
     */
    public static OperationSelection all() {
        return new OperationSelection(null, null, null, new DeliverySelection.Span(null, null), null);
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
     * @param performedBy who it was
     * @return the narrower selection
     */
    public OperationSelection by(String performedBy) {
        return new OperationSelection(eventId, handlerId, performedBy, performed, olderThan);
    }

    /**
     * Narrows the selection to a span of time.
     *
     * @param since the beginning, which belongs to it; {@code null} for any time
     * @param before the end, which does not; {@code null} for any time
     * @return the narrower selection
     */
    public OperationSelection performed(@Nullable Instant since, @Nullable Instant before) {
        return new OperationSelection(
                eventId, handlerId, performedBy, new DeliverySelection.Span(since, before), olderThan);
    }

    /**
     * Narrows the selection to what is older than an operation, such as the last one of a page.
     *
     * @param id the place of that operation in the record
     * @return the narrower selection
     */
    public OperationSelection olderThan(long id) {
        return new OperationSelection(eventId, handlerId, performedBy, performed, id);
    }
}
