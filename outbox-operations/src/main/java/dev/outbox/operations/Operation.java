package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Entry of the operation log, which is written in the transaction of the change.
 *
 * @param id the id in the operation log
 * @param performedAt the time, by the clock of the database
 * @param performedBy the operator
 * @param action the action, such as {@code RETRY} or {@code SKIP}
 * @param reason the reason
 * @param subject the handler, stream or delivery that was changed
 * @param pausedUntil when the pause ends by itself; {@code null} if an operator has to end it, or it is none
 */
public record Operation(
        long id,
        Instant performedAt,
        String performedBy,
        String action,
        String reason,
        Subject subject,
        @Nullable Instant pausedUntil) {

    /**
     * Operations that one command made: of the same operator, action, handler and reason, in a row, within an hour.
     *
     * @param latest the latest of them
     * @param entries how many they are; not exact if the call did not look further
     * @param oldestId the id of the oldest of them
     * @param since the time of the oldest of them
     */
    public record Command(Operation latest, Count entries, long oldestId, Instant since) {}

    /**
     * Subject of an operation; components that do not apply are {@code null}.
     *
     * @param stream the stream
     * @param handlerId the handler
     * @param eventId the event
     * @param previousStatus the previous status of the delivery
     * @param lastFailure the last failure of the delivery
     */
    public record Subject(
            @Nullable String stream,
            @Nullable String handlerId,
            @Nullable UUID eventId,
            @Nullable DeliveryStatus previousStatus,
            Delivery.@Nullable Failure lastFailure) {}
}
