package dev.outbox;

import java.util.Collection;
import java.util.List;

/**
 * Stores events in the transaction of the caller: they exist if and only if that transaction commits. Thread-safe.
 *
 * <p>Every method needs a read-write transaction of the outbox's {@code DataSource} on the calling thread. It locks one row per aggregate
 * until the transaction ends, so that the sequence of an aggregate follows the order of commits. It locks none for an event
 * {@linkplain OutboxEvent#withSequence with a sequence}.
 *
 * <p>Every method throws a {@link PublishException} if it refuses an event: an {@link InvalidTransactionException},
 * {@link InvalidEventException} or {@link EventConflictException}. Nothing is stored, and the transaction remains usable, except in the case
 * that {@link EventConflictException} describes. After a {@link StaleSequenceException} the transaction must roll back.
 */
public interface OutboxPublisher {

    /**
     * Publishes an event of the payload's type.
     *
     * @param aggregateType the aggregate type, at most 255 characters
     * @param aggregateId the aggregate id, at most 255 characters
     * @param payload the payload; its class determines the event type, see {@link EventType}
     * @return the event as stored
     */
    default EventEnvelope publish(String aggregateType, String aggregateId, Object payload) {
        return publish(OutboxEvent.of(aggregateType, aggregateId, payload));
    }

    /**
     * Publishes an object of a class marked {@link Outboxed}, whose annotation determines the aggregate. The publisher of the Spring Boot
     * starter reads the annotation. It refuses an {@link OutboxEvent} of such an object that names other values.
     *
     * @param outboxed the object, which is the payload
     * @return the event as stored
     */
    default EventEnvelope publish(Object outboxed) {
        throw new UnsupportedOperationException("only the publisher of the Spring Boot starter reads @Outboxed");
    }

    /**
     * Publishes an event, as a batch of its own.
     *
     * @param event the event
     * @return the event as stored; the one stored earlier if its event id is already stored. A scheduled event has no id and no sequence
     *     yet: both are 0
     */
    default EventEnvelope publish(OutboxEvent event) {
        return publishAll(List.of(event)).get(0);
    }

    /**
     * Publishes several events in one batch: all of them or, if one is refused, none. Counters are locked in sorted order, so two
     * batches whose events the outbox counts never deadlock.
     *
     * @param events the events; events of one aggregate keep their order
     * @return the events as stored, in the order given
     */
    List<EventEnvelope> publishAll(Collection<OutboxEvent> events);

    /**
     * Withdraws a {@linkplain OutboxEvent#deliverAfter scheduled} event, unless the transaction rolls back.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     * @param key the event's {@linkplain OutboxEvent#withKey key}
     * @return whether it was withdrawn and is never delivered; {@code false} if there is none, or its time has come and it has taken its
     *     place in the order of its aggregate
     */
    default boolean cancel(String aggregateType, String aggregateId, String key) {
        throw new UnsupportedOperationException("this publisher schedules no events");
    }
}
