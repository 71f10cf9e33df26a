package dev.outbox.operations;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Event with the state of its deliveries.
 *
 * @param event the event
 * @param schemaVersion the version of its type
 * @param progress how far it is
 * @param handlers the handlers that subscribe to its type, or have an open delivery, or whose delivery was skipped, in the order of their ids
 * @param operations the operations on its deliveries, latest first, at most 100
 */
public record EventDetails(
        Delivery.Event event,
        int schemaVersion,
        Progress progress,
        List<HandlerProgress> handlers,
        List<Operation> operations) {

    /** Status of an event. */
    public enum Status {
        /** The event awaits its first delivery. */
        PENDING,
        /** A worker holds the event or one of its deliveries. */
        PROCESSING,
        /** The first delivery ended, and a delivery is open. */
        RETRYING,
        /** Every open delivery is dead. */
        DEAD,
        /** Every handler has succeeded or was skipped. A replay may have open deliveries. */
        PUBLISHED
    }

    /**
     * How far an event is.
     *
     * @param status the status
     * @param dispatchedAt when its first delivery to all handlers ended; {@code null} before
     * @param publishedAt when the last delivery ended; {@code null} before
     * @param erasedAt when an operator erased its payload, headers and error texts; {@code null} before
     * @param claim the claim that holds it for its first delivery; {@code null} if there is none
     */
    public record Progress(
            Status status,
            @Nullable Instant dispatchedAt,
            @Nullable Instant publishedAt,
            @Nullable Instant erasedAt,
            OutboxOverview.@Nullable Claim claim) {}

    /** State of an event for one handler. */
    public enum Outcome {
        /** The event awaits its first delivery. */
        PENDING,
        /** The delivery is open: due or waiting. */
        OPEN,
        /** The delivery is dead. */
        DEAD,
        /** An operator skipped the delivery. */
        SKIPPED,
        /** No delivery is open: the handler has handled the event, or subscribed to its type later. */
        DONE
    }

    /**
     * State of an event for one handler.
     *
     * @param handlerId the handler
     * @param outcome the state
     * @param delivery the open or dead delivery; {@code null} if there is none
     * @param failures the failed attempts, also of a delivery that has succeeded or was skipped before the event was published
     */
    public record HandlerProgress(
            String handlerId, Outcome outcome, @Nullable Delivery delivery, List<Delivery.FailedAttempt> failures) {}

    /**
     * Content of an event.
     *
     * @param payload the payload, as JSON
     * @param headers the headers
     */
    public record Content(String payload, Map<String, String> headers) {}
}
