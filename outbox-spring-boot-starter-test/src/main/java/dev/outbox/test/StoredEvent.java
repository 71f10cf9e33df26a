package dev.outbox.test;

import dev.outbox.EventEnvelope;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Event in the tables of the outbox.
 *
 * @param envelope the event
 * @param status the status of the event
 * @param handledBy the handlers that have handled the event in this test
 * @param deliveries the deliveries that did not succeed yet and were not skipped: they are retried, wait or are dead
 */
public record StoredEvent(
        EventEnvelope envelope, Status status, Set<String> handledBy, List<UnfinishedDelivery> deliveries) {

    /** Copies the collections. */
    public StoredEvent {
        handledBy = Set.copyOf(handledBy);
        deliveries = List.copyOf(deliveries);
    }

    /** Status of an event. */
    public enum Status {
        /** The event awaits its first delivery. */
        PENDING,
        /** The first delivery ended, and at least one delivery is open: it is retried, or waits for an earlier event. */
        RETRYING,
        /** No delivery is open, and at least one is dead. */
        DEAD,
        /** Every handler has succeeded or was skipped, or the event has no handler. */
        PUBLISHED
    }

    /**
     * Delivery that did not succeed yet.
     *
     * @param handlerId the handler
     * @param dead whether the delivery is dead
     * @param attempts the attempts so far
     * @param lastError the error code and message of the last failure; {@code null} if there was none
     * @param nextRetryAt the earliest time of the next attempt, by the clock of the database; {@code null} if the delivery is not due
     */
    public record UnfinishedDelivery(
            String handlerId,
            boolean dead,
            int attempts,
            @Nullable String lastError,
            @Nullable Instant nextRetryAt) {

        @Override
        public String toString() {
            return handlerId + " is " + (dead ? "dead" : nextRetryAt == null ? "waiting" : "due at " + nextRetryAt)
                    + " after " + attempts + (attempts == 1 ? " attempt" : " attempts")
                    + (lastError == null ? "" : ", the last of which failed with " + lastError);
        }
    }

    /** Describes the event and its deliveries in one line, without the payload. */
    @Override
    public String toString() {
        return envelope + " is " + status
                + (handledBy.isEmpty()
                        ? ""
                        : ", handled by "
                                + String.join(", ", handledBy.stream().sorted().toList()))
                + deliveries.stream().map((delivery) -> "; " + delivery).collect(Collectors.joining());
    }

    /** Adds to a list of events how to deliver those that no drain has delivered. */
    static String advice(List<StoredEvent> events) {
        return events.stream().anyMatch((event) -> event.status() == Status.PENDING)
                ? "\nCall drain() to deliver what is PENDING."
                : "";
    }
}
