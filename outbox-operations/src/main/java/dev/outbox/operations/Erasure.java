package dev.outbox.operations;

import java.util.Collection;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Request to erase the payloads, headers and error texts of events. It is refused if an event is not delivered yet, unless
 * {@link #afterDelivery} or {@link #withoutDelivery} says what becomes of it.
 *
 * @param aggregateType the aggregate type; {@code null} with event ids
 * @param aggregateId the aggregate; {@code null} with event ids
 * @param eventIds the events; empty with an aggregate
 * @param undelivered what becomes of events that are scheduled, in the queue, or have an open or dead delivery
 */
public record Erasure(
        @Nullable String aggregateType, @Nullable String aggregateId, Set<UUID> eventIds, Undelivered undelivered) {

    /** What becomes of events that are not delivered yet. */
    public enum Undelivered {
        /** The erasure is refused with their number. */
        REFUSE,
        /** They stay, and a later call erases them. */
        KEEP,
        /** They are never delivered: deliveries are skipped, scheduled events cancelled. */
        WITHDRAW
    }

    /**
     * Copies the event ids and checks the values.
     *
     * @throws InvalidOperationException if a value breaks a rule, or the request names neither an aggregate nor an event, or both
     */
    public Erasure {
        eventIds = Set.copyOf(eventIds);
        Criteria.checkAggregate(aggregateType, aggregateId);
        if ((aggregateId == null) == eventIds.isEmpty() || (aggregateId == null && aggregateType != null)) {
            throw new InvalidOperationException(
                    "an erasure needs either an aggregate, with its type and id, or event ids");
        }
    }

    /**
     * Requests all events of an aggregate.
     *
     * @param type the aggregate type
     * @param id the aggregate id
     * @return the request
     */
    public static Erasure ofAggregate(String type, String id) {
        return new Erasure(type, id, Set.of(), Undelivered.REFUSE);
    }

    /**
     * Requests events by their ids.
     *
     * @param ids the event ids
     * @return the request
     */
    public static Erasure ofEvents(Collection<UUID> ids) {
        return new Erasure(null, null, Set.copyOf(ids), Undelivered.REFUSE);
    }

    /**
     * Erases what is delivered, and leaves the rest as it is: repeat the call until nothing remains.
     *
     * @return a changed copy
     */
    public Erasure afterDelivery() {
        return new Erasure(aggregateType, aggregateId, eventIds, Undelivered.KEEP);
    }

    /**
     * Withdraws what is not delivered, and erases it too.
     *
     * @return a changed copy
     */
    public Erasure withoutDelivery() {
        return new Erasure(aggregateType, aggregateId, eventIds, Undelivered.WITHDRAW);
    }
}
