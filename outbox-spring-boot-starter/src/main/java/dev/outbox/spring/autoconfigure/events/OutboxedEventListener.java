package dev.outbox.spring.autoconfigure.events;

import dev.outbox.InvalidEventException;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.ResolvableType;

/**
 * Stores marked events as the first listener, so that an event precedes those that other listeners publish because of it. Never runs on
 * another thread, where the transaction is missing.
 */
final class OutboxedEventListener implements GenericApplicationListener, PriorityOrdered {

    private final OutboxedEvents events;

    OutboxedEventListener(OutboxedEvents events) {
        this.events = events;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    /** The class of the object decides, because a caller may name a less specific type. */
    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        return true;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof MulticasterCheck.Probe probe) {
            throw probe.refuse();
        }
        Object published = event instanceof PayloadApplicationEvent<?> carrier ? carrier.getPayload() : event;
        try {
            store(published);
        } catch (ClassCastException ex) {
            // Spring suppresses some of them, because they may come from a listener of another event type.
            throw new InvalidEventException(
                    "Spring event " + published.getClass().getName() + " is @Outboxed and was not stored, because"
                            + " publishing failed with a ClassCastException",
                    ex);
        }
    }

    private void store(Object published) {
        events.typeOf(published.getClass()).ifPresent((type) -> events.store(type, published));
    }
}
