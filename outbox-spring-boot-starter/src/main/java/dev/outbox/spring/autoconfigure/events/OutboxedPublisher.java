package dev.outbox.spring.autoconfigure.events;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.util.Collection;
import java.util.List;

/** Publishes objects of classes marked {@link Outboxed}, and refuses events of such objects that name other values. */
final class OutboxedPublisher implements OutboxPublisher {

    private final OutboxPublisher publisher;
    private final OutboxedEvents events;

    OutboxedPublisher(OutboxPublisher publisher, OutboxedEvents events) {
        this.publisher = publisher;
        this.events = events;
    }

    @Override
    public EventEnvelope publish(Object outboxed) {
        if (outboxed instanceof OutboxEvent event) {
            return publish(event);
        }
        OutboxedType type = events.typeOf(outboxed.getClass())
                .orElseThrow(
                        () -> new InvalidEventException(
                                outboxed.getClass().getName()
                                        + " is not @Outboxed; annotate the class, or name the aggregate:"
                                        + " publish(aggregateType, aggregateId, payload), or none: publish(OutboxEvent.unordered(payload))"));
        return publisher.publish(events.read(type, outboxed));
    }

    @Override
    public List<EventEnvelope> publishAll(Collection<OutboxEvent> several) {
        several.forEach(this::requireSameAsAnnotation);
        return publisher.publishAll(several);
    }

    @Override
    public boolean cancel(String aggregateType, String aggregateId, String key) {
        return publisher.cancel(aggregateType, aggregateId, key);
    }

    /** Leaves out events of other services, which may have another aggregate type here, and those without payload, which fail later. */
    private void requireSameAsAnnotation(OutboxEvent event) {
        Object payload = event.payload();
        if (payload != null && event.origin() == null) {
            events.typeOf(payload.getClass()).ifPresent((type) -> type.requireSame(event));
        }
    }
}
