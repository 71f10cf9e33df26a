package dev.outbox.spring.autoconfigure.events;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.spring.autoconfigure.HandledPayloads;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;

/**
 * Stores marked events as the first listener, so that an event precedes those that other listeners publish because of it. Never runs on
 * another thread, where the transaction is missing.
 */
final class OutboxedEventListener implements GenericApplicationListener, PriorityOrdered {

    private static final Logger log = LoggerFactory.getLogger(OutboxedEventListener.class);

    private final OutboxedEvents events;
    private final SingletonSupplier<List<UnmarkedEvents>> unmarked;
    private final HandledPayloads handlers;
    private final Set<Class<?>> reported = ConcurrentHashMap.newKeySet();

    /** Asks for the beans with the first event, because other events are published before they can exist. */
    OutboxedEventListener(OutboxedEvents events, ObjectProvider<UnmarkedEvents> unmarked, HandledPayloads handlers) {
        this.events = events;
        this.unmarked = SingletonSupplier.of(() -> unmarked.orderedStream().toList());
        this.handlers = handlers;
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
                    "Spring event " + published.getClass().getName() + " was not stored, because"
                            + " publishing failed with a ClassCastException",
                    ex);
        }
    }

    private void store(Object published) {
        Class<?> type = published.getClass();
        Optional<OutboxedType> marked = events.typeOf(type);
        if (marked.isPresent()) {
            events.store(marked.get(), published);
        } else if (!storeUnmarked(published)) {
            reportUnmarked(type);
        }
    }

    private boolean storeUnmarked(Object published) {
        for (UnmarkedEvents source : unmarked.obtain()) {
            OutboxEvent read = source.read(published);
            if (read != null) {
                events.store(read, () -> published.getClass().getName());
                return true;
            }
        }
        return false;
    }

    private void reportUnmarked(Class<?> type) {
        if (!reported.contains(type)) {
            handlers.handlerOf(type)
                    .filter((handler) -> reported.add(type))
                    .ifPresent((handler) -> log.warn(
                            "Spring event {} was not stored, and handler '{}', which takes it, was not called: annotate the"
                                    + " class with @Outboxed, or publish it with OutboxPublisher",
                            type.getName(),
                            handler));
        }
    }
}
