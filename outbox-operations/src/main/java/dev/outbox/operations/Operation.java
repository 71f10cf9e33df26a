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
     * Command of an operator, with the operations that it made.
     *
     * @param id the number, by which commands are ordered and {@link OperationSelection#command} finds the operations
     * @param first the first operation; its subject has no handler if the operations have several
     * @param entries how many operations it made so far; a lower bound beyond {@link Count#MOST}, unless it runs in the background
     * @param replay the retry or skip in the background that made them; {@code null} if there is none
     */
    public record Command(
            long id,
            Operation first,
            Count entries,
            @Nullable Long replay) {}

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
