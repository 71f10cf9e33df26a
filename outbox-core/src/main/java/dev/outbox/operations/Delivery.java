package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One event for one handler that has left the fast lane and is not done: it is to be attempted again, waits for its turn, or is dead.
 *
 * @param event the event
 * @param handlerId the handler
 * @param state where it stands
 * @param attempts what was tried
 * @param lease the worker that attempts it right now, or died while it did; {@code null} if there is none
 */
public record Delivery(
        Event event,
        String handlerId,
        State state,
        Attempts attempts,
        @Nullable Lease lease) {

    /**
     * What identifies an event and says where it belongs. The payload is not among it.
     *
     * @param id the place in the outbox
     * @param eventId the identity
     * @param stream the stream
     * @param type the event type
     * @param aggregateType the kind of entity
     * @param aggregateId the entity
     * @param aggregateSeq the number within the aggregate
     * @param occurredAt when it happened
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
     * Where a delivery stands.
     *
     * @param status where it stands in its lane
     * @param blocksLane whether the handler's later events of the aggregate wait for it; a dead one does so only where the handler asks
     *     for it
     * @param replayed whether the event had been handled before, or before the handler existed
     * @param createdAt when it left the fast lane
     * @param nextRetryAt when it is attempted next at the earliest; {@code null} unless it is {@link DeliveryStatus#DUE}
     */
    public record State(
            DeliveryStatus status,
            boolean blocksLane,
            boolean replayed,
            Instant createdAt,
            @Nullable Instant nextRetryAt) {}

    /**
     * What was tried.
     *
     * @param begun how many attempts were begun; never goes back
     * @param failed how many failed, since an operator retried it if one has
     * @param crashed how many ended with an expired lease, since an operator retried it if one has
     * @param lastAt when the last one began; {@code null} if there was none
     * @param lastFailure what went wrong the last time; {@code null} if nothing has
     */
    public record Attempts(
            int begun,
            int failed,
            int crashed,
            @Nullable Instant lastAt,
            @Nullable Failure lastFailure) {}

    /**
     * What went wrong.
     *
     * @param code a short name for the kind of failure, such as the exception's simple class name
     * @param message what the exception said, at most 2000 characters
     */
    public record Failure(String code, String message) {}

    /**
     * A worker's hold on a delivery.
     *
     * @param worker the worker
     * @param until when the lease ends, by the clock of the database; in the past if the worker has not come back
     */
    public record Lease(String worker, Instant until) {}
}
