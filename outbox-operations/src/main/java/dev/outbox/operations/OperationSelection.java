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
 * @param since the earliest time of the operation
 * @param before the time before which the operation was performed
 * @param olderThan the id before which to begin, such as that of the last operation of a page; results are in descending order
 * @param command the number of the command, if it has more than one operation; not for {@link OutboxOperations#commands}
 */
public record OperationSelection(
        @Nullable UUID eventId,
        @Nullable String handlerId,
        @Nullable String performedBy,
        @Nullable Instant since,
        @Nullable Instant before,
        @Nullable Long olderThan,
        @Nullable Long command) {

    /**
     * Checks the values.
     *
     * @throws InvalidOperationException if a value breaks a rule
     */
    public OperationSelection {
        Criteria.checkOptional("handler id", handlerId);
        Criteria.checkOptional("the name of the operator", performedBy);
        Criteria.checkRange(since, before);
    }

    /**
     * Selects every operation.
     *
     * @return the selection
     */
    public static OperationSelection all() {
        return new OperationSelection(null, null, null, null, null, null, null);
    }

    /**
     * Selects the operations on the deliveries of an event.
     *
     * @param eventId the event
     * @return the selection
     */
    public static OperationSelection ofEvent(UUID eventId) {
        return new OperationSelection(eventId, null, null, null, null, null, null);
    }

    /**
     * Selects the operations on a handler and its deliveries.
     *
     * @param handlerId the handler
     * @return the selection
     */
    public static OperationSelection ofHandler(String handlerId) {
        return new OperationSelection(null, handlerId, null, null, null, null, null);
    }

    /**
     * Selects the operations of a command.
     *
     * @param id its number
     * @param olderThan the id before which to begin; {@code null} for the latest operation
     * @return the selection
     */
    public static OperationSelection ofCommand(long id, @Nullable Long olderThan) {
        return new OperationSelection(null, null, null, null, null, olderThan, id);
    }
}
