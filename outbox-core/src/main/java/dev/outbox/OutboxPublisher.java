package dev.outbox;

import java.util.Collection;
import java.util.List;

/**
 * Stores events in the transaction of the caller: they exist if and only if it commits. Safe for use by many threads.
 *
 * <p>Every method needs a read-write transaction of the outbox's {@code DataSource} on the calling thread, and takes a row
 * lock per aggregate until it ends, so that sequence order is commit order. Every error is raised at once:
 * {@link MissingTransactionException}, {@link ReadOnlyTransactionException}, {@link ForeignTransactionException},
 * {@link InvalidEventException} and {@link UnroutedEventException} before any SQL runs; {@link StaleSequenceException} and
 * {@link EventIdConflictException} without having stored anything. After these the transaction is still usable.
 */
public interface OutboxPublisher {

    /**
     * Publishes an event of the payload's type.
     *
     * @param aggregateType the kind of entity, at most 255 characters
     * @param aggregateId the entity, at most 255 characters
     * @param payload what happened; its class names the event type, see {@link EventType}
     * @return the event as stored
     */
    default EventEnvelope publish(String aggregateType, String aggregateId, Object payload) {
        return publish(OutboxEvent.of(aggregateType, aggregateId, payload));
    }

    /**
     * Publishes an event.
     *
     * @param event the event
     * @return the event as stored; the one stored earlier if its event id is known already
     */
    EventEnvelope publish(OutboxEvent event);

    /**
     * Publishes several events in one batch: all or, on an error, none. Aggregates are locked in sorted order, so two
     * batches never lock each other out.
     *
     * @param events the events; those of one aggregate keep their order
     * @return the events as stored, in the order given
     */
    List<EventEnvelope> publishAll(Collection<OutboxEvent> events);
}
