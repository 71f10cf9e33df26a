package dev.outbox.spring.tracing;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import io.micrometer.observation.transport.SenderContext;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Context of the observation {@code outbox.publish}: one call of the publisher. The carrier collects the headers that continue the trace.
 * For use on the thread of the publisher.
 */
public final class OutboxPublishObservationContext extends SenderContext<Map<String, String>> {

    private final List<OutboxEvent> events;
    private List<EventEnvelope> published = List.of();

    /**
     * Creates the context of a call.
     *
     * @param events the events to publish, at least one
     */
    public OutboxPublishObservationContext(Collection<OutboxEvent> events) {
        super((headers, name, value) -> {
            if (headers != null) {
                headers.put(name, value);
            }
        });
        this.events = List.copyOf(events);
        setCarrier(new HashMap<>());
    }

    /** {@return the events to publish, as the caller passed them} */
    public List<OutboxEvent> getEvents() {
        return events;
    }

    /** {@return the events as stored; empty until they are stored} */
    public List<EventEnvelope> getPublished() {
        return published;
    }

    /**
     * Sets the stored events.
     *
     * @param published the events as stored
     */
    public void setPublished(List<EventEnvelope> published) {
        this.published = List.copyOf(published);
    }
}
