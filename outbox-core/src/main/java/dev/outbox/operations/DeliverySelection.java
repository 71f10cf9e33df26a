package dev.outbox.operations;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selection of deliveries. Start with {@link #all}, {@link #delivery} or {@link #lane}; every further method narrows the selection.
 * Immutable. {@link OutboxOperations} validates the values.
 *
 * @param lane the handler and aggregate
 * @param event the events
 * @param created when the delivery was queued for redelivery
 * @param statuses the statuses
 * @param after the position after which to begin; {@code null} for the beginning
 * @param upTo the position at which to end, inclusive; {@code null} for the end
 */
public record DeliverySelection(
        Lane lane,
        Events event,
        Span created,
        Set<DeliveryStatus> statuses,
        @Nullable Place after,
        @Nullable Place upTo) {

    /** Copies the statuses. */
    public DeliverySelection {
        statuses = Set.copyOf(statuses);
    }

    /**
     * Handler and aggregate; {@code null} matches any.
     *
     * @param handlerId the handler
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     */
    public record Lane(
            @Nullable String handlerId,
            @Nullable String aggregateType,
            @Nullable String aggregateId) {}

    /**
     * Events; {@code null} matches any.
     *
     * @param eventId the event id
     * @param stream the stream
     * @param type the event type
     * @param errorCode the code of the last failure
     */
    public record Events(
            @Nullable UUID eventId,
            @Nullable String stream,
            @Nullable String type,
            @Nullable String errorCode) {}

    /**
     * Time span; {@code null} leaves it open.
     *
     * @param since the start, inclusive
     * @param before the end, exclusive
     */
    public record Span(@Nullable Instant since, @Nullable Instant before) {}

    /**
     * Position in the order of deliveries: by the id of the event in the outbox, then by handler id.
     *
     * @param id the id of the event in the outbox
     * @param handlerId the handler
     */
    public record Place(long id, String handlerId) {}

    /**
     * Selects every delivery that is queued for redelivery or dead.
     *
     * @return the selection
     */
    public static DeliverySelection all() {
        return new DeliverySelection(
                new Lane(null, null, null),
                new Events(null, null, null, null),
                new Span(null, null),
                EnumSet.allOf(DeliveryStatus.class),
                null,
                null);
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
        return all().ofHandler(handlerId).ofAggregate(aggregateType, aggregateId);
    }

    /**
     * Narrows the selection to a handler.
     *
     * @param handlerId the id that is stored with the deliveries, which may be a former one
     * @return the narrower selection
     */
    public DeliverySelection ofHandler(String handlerId) {
        return with(new Lane(handlerId, lane.aggregateType, lane.aggregateId));
    }

    /**
     * Narrows the selection to an aggregate type.
     *
     * @param aggregateType the aggregate type
     * @return the narrower selection
     */
    public DeliverySelection ofAggregateType(String aggregateType) {
        return with(new Lane(lane.handlerId, aggregateType, lane.aggregateId));
    }

    /**
     * Narrows the selection to an aggregate.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     * @return the narrower selection
     */
    public DeliverySelection ofAggregate(String aggregateType, String aggregateId) {
        return with(new Lane(lane.handlerId, aggregateType, aggregateId));
    }

    /**
     * Narrows the selection to an event.
     *
     * @param eventId the event
     * @return the narrower selection
     */
    public DeliverySelection ofEvent(UUID eventId) {
        return with(new Events(eventId, event.stream, event.type, event.errorCode));
    }

    /**
     * Narrows the selection to a stream.
     *
     * @param stream the stream
     * @return the narrower selection
     */
    public DeliverySelection inStream(String stream) {
        return with(new Events(event.eventId, stream, event.type, event.errorCode));
    }

    /**
     * Narrows the selection to an event type.
     *
     * @param eventType the type
     * @return the narrower selection
     */
    public DeliverySelection ofEventType(String eventType) {
        return with(new Events(event.eventId, event.stream, eventType, event.errorCode));
    }

    /**
     * Narrows the selection to an error code.
     *
     * @param errorCode the code of the last failure, such as {@code UNDECODABLE_PAYLOAD} or the exception's simple class name
     * @return the narrower selection
     */
    public DeliverySelection withErrorCode(String errorCode) {
        return with(new Events(event.eventId, event.stream, event.type, errorCode));
    }

    /**
     * Narrows the selection to deliveries that were queued for redelivery in a time span.
     *
     * @param since the start, inclusive; {@code null} for no limit
     * @param before the end, exclusive; {@code null} for no limit
     * @return the narrower selection
     */
    public DeliverySelection created(@Nullable Instant since, @Nullable Instant before) {
        return new DeliverySelection(lane, event, new Span(since, before), statuses, after, upTo);
    }

    /**
     * Narrows the selection to statuses.
     *
     * @param allowed the statuses
     * @return the narrower selection
     */
    public DeliverySelection withStatus(DeliveryStatus... allowed) {
        return new DeliverySelection(lane, event, created, Set.copyOf(List.of(allowed)), after, upTo);
    }

    /**
     * Narrows the selection to deliveries after another one, such as the last one of a page.
     *
     * @param id the id of its event in the outbox
     * @param handlerId its handler
     * @return the narrower selection
     */
    public DeliverySelection after(long id, String handlerId) {
        return new DeliverySelection(lane, event, created, statuses, new Place(id, handlerId), upTo);
    }

    /**
     * Narrows the selection to deliveries up to and including another one, such as the last one of a page, so that an operation changes no
     * more than a caller has seen.
     *
     * @param id the id of its event in the outbox
     * @param handlerId its handler
     * @return the narrower selection
     */
    public DeliverySelection upTo(long id, String handlerId) {
        return new DeliverySelection(lane, event, created, statuses, after, new Place(id, handlerId));
    }

    /**
     * Returns whether the selection has no criterion except {@link #after} and {@link #upTo}.
     *
     * @return whether it selects all deliveries
     */
    public boolean isUnrestricted() {
        return new DeliverySelection(lane, event, created, statuses, null, null).equals(all());
    }

    private DeliverySelection with(Lane narrower) {
        return new DeliverySelection(narrower, event, created, statuses, after, upTo);
    }

    private DeliverySelection with(Events narrower) {
        return new DeliverySelection(lane, narrower, created, statuses, after, upTo);
    }
}
