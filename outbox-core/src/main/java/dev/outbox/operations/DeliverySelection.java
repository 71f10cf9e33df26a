package dev.outbox.operations;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which deliveries an operator means. Begins with {@link #all}, {@link #delivery} or {@link #lane}; every further word leaves fewer.
 * Immutable; the values are checked when it is used.
 *
 * @param lane which handler and aggregate
 * @param event which events
 * @param created when the delivery left the fast lane
 * @param statuses where it stands in its lane
 * @param after the place, in the order in which deliveries are found, behind which to begin; {@code null} for the beginning
 */
public record DeliverySelection(
        Lane lane,
        Events event,
        Span created,
        Set<DeliveryStatus> statuses,
        @Nullable Place after) {

    /** Copies the set. */
    public DeliverySelection {
        statuses = Set.copyOf(statuses);
    }

    /**
     * Which handler and aggregate; {@code null} stands for any.
     *
     * @param handlerId the handler
     * @param aggregateType the kind of entity
     * @param aggregateId the entity
     */
    public record Lane(
            @Nullable String handlerId,
            @Nullable String aggregateType,
            @Nullable String aggregateId) {}

    /**
     * Which events; {@code null} stands for any.
     *
     * @param eventId the identity
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
     * A span of time; {@code null} leaves it open.
     *
     * @param since the beginning, which belongs to it
     * @param before the end, which does not
     */
    public record Span(@Nullable Instant since, @Nullable Instant before) {}

    /**
     * A place in the order in which deliveries are found: that of their events in the outbox, and then that of handler ids.
     *
     * @param id the event's place in the outbox
     * @param handlerId the handler
     */
    public record Place(long id, String handlerId) {}

    /**
     * Selects every delivery that has left the fast lane and is not done.
     *
     * @return the selection
     */
    public static DeliverySelection all() {
        return new DeliverySelection(
                new Lane(null, null, null),
                new Events(null, null, null, null),
                new Span(null, null),
                EnumSet.allOf(DeliveryStatus.class),
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
     * Selects a lane: what one handler has still to do for one aggregate.
     *
     * @param handlerId the handler
     * @param aggregateType the kind of entity
     * @param aggregateId the entity
     * @return the selection
     */
    public static DeliverySelection lane(String handlerId, String aggregateType, String aggregateId) {
        return all().ofHandler(handlerId).ofAggregate(aggregateType, aggregateId);
    }

    /**
     * Narrows the selection to a handler.
     *
     * @param handlerId the id under which its deliveries are stored, which may be a former one
     * @return the narrower selection
     */
    public DeliverySelection ofHandler(String handlerId) {
        return with(new Lane(handlerId, lane.aggregateType, lane.aggregateId));
    }

    /**
     * Narrows the selection to a kind of entity.
     *
     * @param aggregateType the kind
     * @return the narrower selection
     */
    public DeliverySelection ofAggregateType(String aggregateType) {
        return with(new Lane(lane.handlerId, aggregateType, lane.aggregateId));
    }

    /**
     * Narrows the selection to an entity.
     *
     * @param aggregateType its kind
     * @param aggregateId its id
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
     * Narrows the selection to a kind of failure.
     *
     * @param errorCode the code of the last failure, such as {@code UNDECODABLE_PAYLOAD} or the exception's simple class name
     * @return the narrower selection
     */
    public DeliverySelection withErrorCode(String errorCode) {
        return with(new Events(event.eventId, event.stream, event.type, errorCode));
    }

    /**
     * Narrows the selection to what has left the fast lane in a span of time.
     *
     * @param since the beginning, which belongs to it; {@code null} for any time
     * @param before the end, which does not; {@code null} for any time
     * @return the narrower selection
     */
    public DeliverySelection created(@Nullable Instant since, @Nullable Instant before) {
        return new DeliverySelection(lane, event, new Span(since, before), statuses, after);
    }

    /**
     * Narrows the selection to what stands at one of some places in its lane.
     *
     * @param allowed the places
     * @return the narrower selection
     */
    public DeliverySelection withStatus(DeliveryStatus... allowed) {
        return new DeliverySelection(lane, event, created, Set.copyOf(List.of(allowed)), after);
    }

    /**
     * Narrows the selection to what comes behind a delivery, such as the last one of a page.
     *
     * @param id the place of its event in the outbox
     * @param handlerId its handler
     * @return the narrower selection
     */
    public DeliverySelection after(long id, String handlerId) {
        return new DeliverySelection(lane, event, created, statuses, new Place(id, handlerId));
    }

    /**
     * Says whether nothing is left out but what lies before {@link #after}.
     *
     * @return whether the selection names no criterion
     */
    public boolean isUnrestricted() {
        return new DeliverySelection(lane, event, created, statuses, null).equals(all());
    }

    private DeliverySelection with(Lane narrower) {
        return new DeliverySelection(narrower, event, created, statuses, after);
    }

    private DeliverySelection with(Events narrower) {
        return new DeliverySelection(lane, narrower, created, statuses, after);
    }
}
