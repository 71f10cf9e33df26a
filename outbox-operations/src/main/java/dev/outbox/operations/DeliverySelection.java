package dev.outbox.operations;

import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Selection of deliveries. Start with {@link #all}, {@link #delivery} or {@link #lane}; every further method but {@link #orRetriedBy} narrows it.
 * A component that is {@code null} matches any; methods that narrow refuse a missing value with an {@link InvalidOperationException}. Immutable.
 *
 * @param handlerId the handler
 * @param aggregateType the aggregate type
 * @param aggregateId the aggregate id
 * @param eventIds the events; empty for any
 * @param stream the stream
 * @param eventType the event type
 * @param errorCode the code of the last failure
 * @param retriedBy the retry in the background whose deliveries match whatever their last failure is
 * @param statuses the statuses
 * @param range their times, and where to begin
 */
public record DeliverySelection(
        @Nullable String handlerId,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        Set<UUID> eventIds,
        @Nullable String stream,
        @Nullable String eventType,
        @Nullable String errorCode,
        @Nullable Long retriedBy,
        Set<DeliveryStatus> statuses,
        Range range) {

    private static final DeliverySelection ALL = new DeliverySelection(
            null, null, null, Set.of(), null, null, null, null, EnumSet.allOf(DeliveryStatus.class), Range.WHOLE);

    /**
     * Copies the sets and checks the values.
     *
     * @throws InvalidOperationException if a value breaks a rule
     */
    public DeliverySelection {
        eventIds = Set.copyOf(eventIds);
        statuses = Set.copyOf(statuses);
        Criteria.checkOptional("handler id", handlerId);
        Criteria.checkOptional("aggregate type", aggregateType);
        Criteria.checkOptional("aggregate id", aggregateId);
        Criteria.checkOptional("stream", stream);
        Criteria.checkOptional("event type", eventType);
        Criteria.checkOptional("error code", errorCode);
        if (statuses.isEmpty()) {
            throw new InvalidOperationException("the selection allows no status, so it can find nothing");
        }
    }

    /**
     * Part of the deliveries, by their time and their place; {@code null} leaves it open.
     *
     * @param since the earliest time at which a delivery was queued for redelivery
     * @param before the time before which a delivery was queued for redelivery
     * @param after the place after which to begin
     */
    public record Range(
            @Nullable Instant since,
            @Nullable Instant before,
            @Nullable Place after) {

        /** All deliveries. */
        public static final Range WHOLE = new Range(null, null, null);

        /**
         * Checks the times.
         *
         * @throws InvalidOperationException if no time is in the range, or one is not within the years 1 to 9999
         */
        public Range {
            Criteria.checkRange(since, before);
        }
    }

    /**
     * Position in the order of deliveries: by the id of the event in the outbox, then by handler id.
     *
     * @param id the id of the event in the outbox
     * @param handlerId the handler
     */
    public record Place(long id, String handlerId) {

        /**
         * Checks the handler.
         *
         * @throws InvalidOperationException if the handler breaks a rule
         */
        public Place {
            Criteria.checkText("handler id of a place", handlerId);
        }
    }

    /**
     * Selects every delivery that is queued for redelivery or dead.
     *
     * @return the selection
     */
    public static DeliverySelection all() {
        return ALL;
    }

    /**
     * Selects one delivery.
     *
     * @param eventId the event
     * @param handlerId the handler
     * @return the selection
     */
    public static DeliverySelection delivery(UUID eventId, String handlerId) {
        return all().ofEvent(eventId).ofHandler(handlerId);
    }

    /**
     * Selects a lane: the queued deliveries of one handler for one aggregate.
     *
     * @param handlerId the handler
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     * @return the selection
     */
    public static DeliverySelection lane(String handlerId, String aggregateType, String aggregateId) {
        Criteria.checkText("aggregate id", aggregateId);
        return all().ofHandler(handlerId).ofAggregate(aggregateType, aggregateId);
    }

    /**
     * Narrows the selection to a handler.
     *
     * @param handlerId the id that is stored with the deliveries, which may be a former one
     * @return the narrower selection
     */
    public DeliverySelection ofHandler(String handlerId) {
        Criteria.checkText("handler id", handlerId);
        return narrowed((draft) -> draft.handlerId = handlerId);
    }

    /**
     * Narrows the selection to an aggregate, or to all aggregates of a type.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id; {@code null} for all aggregates of the type
     * @return the narrower selection
     */
    public DeliverySelection ofAggregate(String aggregateType, @Nullable String aggregateId) {
        Criteria.checkText("aggregate type", aggregateType);
        return narrowed((draft) -> {
            draft.aggregateType = aggregateType;
            draft.aggregateId = aggregateId;
        });
    }

    /**
     * Narrows the selection to an event.
     *
     * @param eventId the event
     * @return the narrower selection
     */
    public DeliverySelection ofEvent(UUID eventId) {
        Criteria.checkEvent(eventId);
        return ofEvents(Set.of(eventId));
    }

    /**
     * Narrows the selection to some events.
     *
     * @param ids the events, at least one
     * @return the narrower selection
     */
    public DeliverySelection ofEvents(Collection<UUID> ids) {
        if (ids.isEmpty()) {
            throw new InvalidOperationException("event ids must not be missing");
        }
        ids.forEach(Criteria::checkEvent);
        return narrowed((draft) -> draft.eventIds = Set.copyOf(ids));
    }

    /**
     * Narrows the selection to a stream.
     *
     * @param stream the stream
     * @return the narrower selection
     */
    public DeliverySelection inStream(String stream) {
        Criteria.checkText("stream", stream);
        return narrowed((draft) -> draft.stream = stream);
    }

    /**
     * Narrows the selection to an event type.
     *
     * @param eventType the type
     * @return the narrower selection
     */
    public DeliverySelection ofEventType(String eventType) {
        Criteria.checkText("event type", eventType);
        return narrowed((draft) -> draft.eventType = eventType);
    }

    /**
     * Narrows the selection to an error code.
     *
     * @param errorCode the code of the last failure, such as {@code UNDECODABLE_PAYLOAD} or the exception's simple class name
     * @return the narrower selection
     */
    public DeliverySelection withErrorCode(String errorCode) {
        Criteria.checkText("error code", errorCode);
        return narrowed((draft) -> draft.errorCode = errorCode);
    }

    /**
     * Widens the error code to any of the deliveries that a retry in the background retried last: they may have failed with another one since.
     *
     * @param replay the number of the retry
     * @return the wider selection
     */
    public DeliverySelection orRetriedBy(long replay) {
        return narrowed((draft) -> draft.retriedBy = replay);
    }

    /**
     * Narrows the selection to deliveries that were queued for redelivery in a time span.
     *
     * @param since the start, inclusive; {@code null} for no limit
     * @param before the end, exclusive; {@code null} for no limit
     * @return the narrower selection
     */
    public DeliverySelection created(@Nullable Instant since, @Nullable Instant before) {
        return narrowed((draft) -> draft.range = new Range(since, before, range.after));
    }

    /**
     * Narrows the selection to statuses.
     *
     * @param allowed the statuses
     * @return the narrower selection
     */
    public DeliverySelection withStatus(DeliveryStatus... allowed) {
        return narrowed((draft) -> draft.statuses = Set.copyOf(List.of(allowed)));
    }

    /**
     * Narrows the selection to deliveries after another one, such as the last one of a page.
     *
     * @param id the id of its event in the outbox
     * @param handler its handler
     * @return the narrower selection
     */
    public DeliverySelection after(long id, String handler) {
        return narrowed((draft) -> draft.range = new Range(range.since, range.before, new Place(id, handler)));
    }

    private DeliverySelection narrowed(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.selection();
    }

    /** Selection while it is narrowed. */
    private static final class Draft {

        private @Nullable String handlerId;
        private @Nullable String aggregateType;
        private @Nullable String aggregateId;
        private Set<UUID> eventIds;
        private @Nullable String stream;
        private @Nullable String eventType;
        private @Nullable String errorCode;
        private @Nullable Long retriedBy;
        private Set<DeliveryStatus> statuses;
        private Range range;

        Draft(DeliverySelection from) {
            this.handlerId = from.handlerId;
            this.aggregateType = from.aggregateType;
            this.aggregateId = from.aggregateId;
            this.eventIds = from.eventIds;
            this.stream = from.stream;
            this.eventType = from.eventType;
            this.errorCode = from.errorCode;
            this.retriedBy = from.retriedBy;
            this.statuses = from.statuses;
            this.range = from.range;
        }

        DeliverySelection selection() {
            return new DeliverySelection(
                    handlerId,
                    aggregateType,
                    aggregateId,
                    eventIds,
                    stream,
                    eventType,
                    errorCode,
                    retriedBy,
                    statuses,
                    range);
        }
    }
}
