package dev.outbox.operations;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which events are to be delivered to a handler once more, and how fast. Without further wishes: all that are not archived and that
 * the handler wants, at 100 events per second.
 *
 * @param handlerId the handler
 * @param selection which events
 * @param rate at most how many events per second
 */
public record ReplayRequest(String handlerId, Selection selection, int rate) {

    private static final int DEFAULT_RATE = 100;
    private static final int MOST_EVENT_IDS = 10_000;
    private static final Pattern PASCAL_CASE = Pattern.compile("[A-Z][A-Za-z0-9]*");

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
     * Events that all wishes apply to.
     *
     * @param occurred when they happened
     * @param published when their last handler had succeeded; with a limit, only events that are published
     * @param eventTypes their types; empty for all that the handler wants
     * @param aggregate what they are about; {@code null} for anything
     * @param eventIds their identities, at most 10,000; empty for any
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
         * @throws InvalidOperationException if an event type is not PascalCase, or there are too many event ids
         */
        public Selection {
            eventTypes = Set.copyOf(eventTypes);
            eventIds = Set.copyOf(eventIds);
            for (String type : eventTypes) {
                if (!PASCAL_CASE.matcher(type).matches()) {
                    throw new InvalidOperationException("event type '" + type + "' is not PascalCase");
                }
            }
            if (eventIds.size() > MOST_EVENT_IDS) {
                throw new InvalidOperationException(
                        "a replay takes at most " + MOST_EVENT_IDS + " event ids, not " + eventIds.size());
            }
        }
    }

    /**
     * A time range that holds its beginning and not its end.
     *
     * @param from the beginning; {@code null} for the beginning of time
     * @param to the end; {@code null} for never
     */
    public record TimeRange(
            @Nullable Instant from, @Nullable Instant to) {

        /** Any time. */
        public static final TimeRange ALWAYS = new TimeRange(null, null);

        /**
         * Checks the values.
         *
         * @throws InvalidOperationException if no time is in the range
         */
        public TimeRange {
            if (from != null && to != null && !from.isBefore(to)) {
                throw new InvalidOperationException("no time is from " + from + " to " + to);
            }
        }
    }

    /**
     * What events are about.
     *
     * @param type the kind of entity
     * @param id the entity; {@code null} for all of its kind
     */
    public record Aggregate(String type, @Nullable String id) {

        /**
         * Checks the values.
         *
         * @throws InvalidOperationException if one is blank
         */
        public Aggregate {
            if (type.isBlank() || (id != null && id.isBlank())) {
                throw new InvalidOperationException("aggregate type and id must not be blank");
            }
        }
    }

    /**
     * Asks for all events that a handler wants.
     *
     * @param handlerId the handler
     * @return a request, to be narrowed
     */
    public static ReplayRequest of(String handlerId) {
        return new ReplayRequest(handlerId, Selection.ALL, DEFAULT_RATE);
    }

    /**
     * Narrows the request to events that happened in a time range.
     *
     * @param from its beginning; {@code null} for the beginning of time
     * @param to its end, which is not part of it; {@code null} for never
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
     * Narrows the request to events that were published, to all of their handlers, in a time range.
     *
     * @param from its beginning; {@code null} for the beginning of time
     * @param to its end, which is not part of it; {@code null} for never
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
     * Narrows the request to some event types.
     *
     * @param eventTypes the types, in PascalCase
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
     * Narrows the request to events about one entity, or one kind of entity.
     *
     * @param type the kind
     * @param id the entity; {@code null} for all of its kind
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
     * Narrows the request to some events.
     *
     * @param eventIds their identities
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
     * Sets the speed.
     *
     * @param rate at most how many events per second
     * @return a changed copy
     */
    public ReplayRequest rate(int rate) {
        return new ReplayRequest(handlerId, selection, rate);
    }

    private ReplayRequest with(Selection selection) {
        return new ReplayRequest(handlerId, selection, rate);
    }
}
