package dev.outbox.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Delivery of an event to a handler that is queued for redelivery, in the lane of its handler and aggregate.
 *
 * @param event the event
 * @param handlerId the handler
 * @param state the state
 * @param attempts the attempts so far
 * @param lease the lease on the lane of an open delivery: of the worker that attempts it, or crashed; {@code null} if there is none
 */
public record Delivery(
        Event event,
        String handlerId,
        State state,
        Attempts attempts,
        @Nullable Lease lease) {

    /**
     * Event of a delivery, without its payload.
     *
     * @param id the id in the outbox
     * @param eventId the event id
     * @param stream the stream
     * @param type the event type
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     * @param sequence the sequence within the aggregate
     * @param occurredAt the time of the event
     */
    public record Event(
            long id,
            UUID eventId,
            String stream,
            String type,
            String aggregateType,
            String aggregateId,
            long sequence,
            Instant occurredAt) {}

    /**
     * State of a delivery.
     *
     * @param status the status
     * @param blocksLane whether it is the first of its lane, for which later ones wait; a dead delivery blocks its lane only with
     *     {@link dev.outbox.OnDead#BLOCK}
     * @param replayed whether the delivery belongs to a replay
     * @param createdAt when the delivery was queued for redelivery
     * @param nextRetryAt the earliest time of the next attempt; {@code null} if it is dead
     */
    public record State(
            DeliveryStatus status,
            boolean blocksLane,
            boolean replayed,
            Instant createdAt,
            @Nullable Instant nextRetryAt) {}

    /**
     * Attempts of a delivery.
     *
     * @param ended the number of attempts that ended without success; never reset
     * @param failed the number of failed attempts since the last retry by an operator
     * @param crashed the number of leases that expired while it was the first of its lane, since the last retry by an operator
     * @param lastAt when the last attempt failed, or the crashed one started; {@code null} if there was none
     * @param lastFailure the last failure; {@code null} if there was none
     * @param failures the failed attempts, oldest first: the first one and the nine latest
     */
    public record Attempts(
            int ended,
            int failed,
            int crashed,
            @Nullable Instant lastAt,
            @Nullable Failure lastFailure,
            List<FailedAttempt> failures) {}

    /**
     * Failure of an attempt.
     *
     * @param code the error code, such as the simple class name of the exception
     * @param message the message of the exception, at most 2000 characters
     */
    public record Failure(String code, String message) {}

    /**
     * Failed attempt.
     *
     * @param attempt the number of the attempt
     * @param at when the attempt failed, by the clock of the database
     * @param code the error code
     * @param message the message, at most 500 characters
     * @param worker the worker; {@code null} if it is not known
     * @param took how long the attempt took; {@code null} if it is not known
     * @param trace the first lines of the stack trace; {@code null} if no exception was thrown
     */
    public record FailedAttempt(
            int attempt,
            Instant at,
            String code,
            String message,
            @Nullable String worker,
            @Nullable Duration took,
            @Nullable String trace) {}

    /**
     * Lease of a worker on a lane.
     *
     * @param worker the worker
     * @param until when the lease expires, by the clock of the database; in the past if the worker crashed
     */
    public record Lease(String worker, Instant until) {}
}
