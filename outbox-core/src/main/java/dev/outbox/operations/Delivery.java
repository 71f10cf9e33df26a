package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Delivery of an event to a handler that is queued for redelivery: it is due, waits in its lane, or is dead.
 *
 * @param event the event
 * @param handlerId the handler
 * @param state the state
 * @param attempts the attempts so far
 * @param lease the lease of the worker that attempts the delivery, or crashed during an attempt; {@code null} if there is none
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
     * @param aggregateSeq the sequence within the aggregate
     * @param occurredAt the time of the event
     */
    public record Event(
            long id,
            UUID eventId,
            String stream,
            String type,
            String aggregateType,
            String aggregateId,
            long aggregateSeq,
            Instant occurredAt) {}

    /**
     * State of a delivery.
     *
     * @param status the status in its lane
     * @param blocksLane whether later deliveries of the lane wait for this one; a dead delivery blocks its lane only with
     *     {@link dev.outbox.OnDead#BLOCK}
     * @param replayed whether the delivery belongs to a replay
     * @param createdAt when the delivery was queued for redelivery
     * @param nextRetryAt the earliest time of the next attempt; {@code null} unless the status is {@link DeliveryStatus#DUE}
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
     * @param begun the number of started attempts; never reset
     * @param failed the number of failed attempts since the last retry by an operator
     * @param crashed the number of expired leases since the last retry by an operator
     * @param lastAt when the last attempt started; {@code null} if there was none
     * @param lastFailure the last failure; {@code null} if there was none
     */
    public record Attempts(
            int begun,
            int failed,
            int crashed,
            @Nullable Instant lastAt,
            @Nullable Failure lastFailure) {}

    /**
     * Failure of an attempt.
     *
     * @param code the error code, such as the simple class name of the exception
     * @param message the message of the exception, at most 2000 characters
     */
    public record Failure(String code, String message) {}

    /**
     * Lease of a worker on a delivery.
     *
     * @param worker the worker
     * @param until when the lease expires, by the clock of the database; in the past if the worker crashed
     */
    public record Lease(String worker, Instant until) {}
}
