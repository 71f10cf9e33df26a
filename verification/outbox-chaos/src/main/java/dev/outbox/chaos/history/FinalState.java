package dev.outbox.chaos.history;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the database holds when a run is over.
 *
 * @param events the events of the queue, history and the archive
 * @param scheduled the scheduled events that have not moved to the queue
 * @param deliveries the deliveries that are queued for redelivery, or dead
 * @param ledger the business rows; {@code null} if the run has none
 * @param bookings the effects of deduplicating handlers; {@code null} if the run has none
 * @param changes every change of state, by id; empty if the run did not record them
 * @param clock what turns nanoseconds since 1970, by the clock of the database, into {@link System#nanoTime()}
 */
public record FinalState(
        List<StoredEvent> events,
        List<ScheduledEvent> scheduled,
        List<StoredDelivery> deliveries,
        @Nullable List<LedgerRow> ledger,
        @Nullable List<Booking> bookings,
        List<StateChange> changes,
        long clock) {

    /** Where an event is stored. */
    public enum Place {
        QUEUE,
        HISTORY,
        ARCHIVE
    }

    /** A stored event. The payload is the text that PostgreSQL gives for it. */
    public record StoredEvent(
            Place place,
            UUID eventId,
            String aggregateType,
            String aggregateId,
            long sequence,
            String status,
            String payload,
            Map<String, String> headers) {}

    /** A scheduled event. {@code due} is expressed as {@link System#nanoTime()}; {@code overdue} is decided by the database. */
    public record ScheduledEvent(UUID eventId, long due, boolean overdue) {}

    /** A delivery that is queued for redelivery, or dead. */
    public record StoredDelivery(UUID eventId, String handler, String status) {

        StoredDelivery of(String currentHandler) {
            return new StoredDelivery(eventId, currentHandler, status);
        }
    }

    /** A business row that a publisher wrote together with its event. */
    public record LedgerRow(UUID eventId, String aggregateId, long sequence, String transaction) {}

    /** An effect of a deduplicating handler. */
    public record Booking(UUID eventId, String handler) {}
}
