package dev.outbox.operations;

import dev.outbox.EventTypeName;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Request to deliver events to a handler again. By default it selects all events of the handler's types that are not archived, at 100
 * events per second.
 *
 * @param handlerId the handler
 * @param selection the events
 * @param rate the maximum number of events per second
 */
public record ReplayRequest(String handlerId, Selection selection, int rate) {

    private static final int DEFAULT_RATE = 100;
    private static final int MOST_EVENT_IDS = 10_000;

    /**
     * Checks the values.
     *
     * @throws InvalidOperationException if the handler is blank or the rate below 1
     */
    public ReplayRequest {
        if (handlerId.isBlank()) {
            throw new InvalidOperationException("a replay is for a handler: its id must not be blank");
        }
        if (rate < 1) {
            throw new InvalidOperationException("rate must be at least 1 event per second: " + rate);
        }
    }

    /**
     * Events that match all criteria.
     *
     * @param occurred the time of the event
     * @param published the time when the event was published; a limit excludes events that are not published
     * @param eventTypes the event types; empty for all types of the handler
     * @param aggregate the aggregate or aggregate type; {@code null} for any
     * @param eventIds the event ids, at most 10,000; empty for any
     */
    public record Selection(
            TimeRange occurred,
            TimeRange published,
            Set<String> eventTypes,
            @Nullable Aggregate aggregate,
            Set<UUID> eventIds) {

        /** All events. */
        public static final Selection ALL = new Selection(TimeRange.ALWAYS, TimeRange.ALWAYS, Set.of(), null, Set.of());

        /**
         * Copies the sets and checks the values.
         *
         * @throws InvalidOperationException if an event type is invalid, or there are too many event ids
         */
        public Selection {
            eventTypes = Set.copyOf(eventTypes);
            eventIds = Set.copyOf(eventIds);
            for (String type : eventTypes) {
                if (!EventTypeName.isValid(type)) {
                    throw new InvalidOperationException(
                            "event type '" + type + "' is invalid: an event type must " + EventTypeName.RULE);
                }
            }
            if (eventIds.size() > MOST_EVENT_IDS) {
                throw new InvalidOperationException(
                        "a replay takes at most " + MOST_EVENT_IDS + " event ids, not " + eventIds.size());
            }
        }
    }

    /**
     * Time range with an inclusive start and an exclusive end.
     *
     * @param from the start; {@code null} for no limit
     * @param to the end; {@code null} for no limit
     */
    public record TimeRange(
            @Nullable Instant from, @Nullable Instant to) {

        /** Any time. */
        public static final TimeRange ALWAYS = new TimeRange(null, null);

        /**
         * Checks the values.
         *
         * @throws InvalidOperationException if the range is empty
         */
        public TimeRange {
            if (from != null && to != null && !from.isBefore(to)) {
                throw new InvalidOperationException("the range from " + from + " to " + to + " is empty");
            }
        }
    }

    /**
     * Aggregate, or all aggregates of a type.
     *
     * @param type the aggregate type
     * @param id the aggregate id; {@code null} for all aggregates of the type
     */
    public record Aggregate(String type, @Nullable String id) {

        /**
         * Checks the values.
         *
         * @throws InvalidOperationException if the type or id is blank
         */
        public Aggregate {
            if (type.isBlank() || (id != null && id.isBlank())) {
                throw new InvalidOperationException("aggregate type and id must not be blank");
            }
        }
    }

    /**
     * Requests all events of the types that a handler subscribes to.
     *
     * @param handlerId the handler
     * @return the request
     */
    public static ReplayRequest of(String handlerId) {
        return new ReplayRequest(handlerId, Selection.ALL, DEFAULT_RATE);
    }

    /**
     * Narrows the request to events that occurred in a time range.
     *
     * @param from the start, inclusive; {@code null} for no limit
     * @param to the end, exclusive; {@code null} for no limit
     * @return a changed copy
     */
    public ReplayRequest occurred(@Nullable Instant from, @Nullable Instant to) {
        return with(new Selection(
                new TimeRange(from, to),
                selection.published,
                selection.eventTypes,
                selection.aggregate,
                selection.eventIds));
    }

    /**
     * Narrows the request to events that were published to all of their handlers in a time range.
     *
     * @param from the start, inclusive; {@code null} for no limit
     * @param to the end, exclusive; {@code null} for no limit
     * @return a changed copy
     */
    public ReplayRequest published(@Nullable Instant from, @Nullable Instant to) {
        return with(new Selection(
                selection.occurred,
                new TimeRange(from, to),
                selection.eventTypes,
                selection.aggregate,
                selection.eventIds));
    }

    /**
     * Narrows the request to event types.
     *
     * @param eventTypes the event types
     * @return a changed copy
     */
    public ReplayRequest eventTypes(String... eventTypes) {
        return with(new Selection(
                selection.occurred,
                selection.published,
                new HashSet<>(List.of(eventTypes)),
                selection.aggregate,
                selection.eventIds));
    }

    /**
     * Narrows the request to one aggregate, or to all aggregates of a type.
     *
     * @param type the aggregate type
     * @param id the aggregate id; {@code null} for all aggregates of the type
     * @return a changed copy
     */
    public ReplayRequest aggregate(String type, @Nullable String id) {
        return with(new Selection(
                selection.occurred,
                selection.published,
                selection.eventTypes,
                new Aggregate(type, id),
                selection.eventIds));
    }

    /**
     * Narrows the request to events by id.
     *
     * @param eventIds the event ids
     * @return a changed copy
     */
    public ReplayRequest events(UUID... eventIds) {
        return with(new Selection(
                selection.occurred,
                selection.published,
                selection.eventTypes,
                selection.aggregate,
                new HashSet<>(List.of(eventIds))));
    }

    /**
     * Sets the rate.
     *
     * @param rate the maximum number of events per second
     * @return a changed copy
     */
    public ReplayRequest rate(int rate) {
        return new ReplayRequest(handlerId, selection, rate);
    }

    private ReplayRequest with(Selection selection) {
        return new ReplayRequest(handlerId, selection, rate);
    }
}
