package dev.outbox.spring.autoconfigure.events;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/** Stores objects of classes marked {@link Outboxed}, in the transaction of the calling thread. Safe for use by many threads. */
final class OutboxedEvents {

    private final SingletonSupplier<OutboxPublisher> publisher;
    private final SingletonSupplier<List<PendingChanges>> changes;
    private final Map<Class<?>, Optional<OutboxedType>> types = new ConcurrentHashMap<>();

    /** Asks for the beans with the first event, because other events are published before they can exist. */
    OutboxedEvents(ObjectProvider<OutboxPublisher> publishers, ObjectProvider<PendingChanges> changes) {
        this.publisher = SingletonSupplier.of(publishers::getObject);
        this.changes = SingletonSupplier.of(() -> changes.orderedStream().toList());
    }

    /** Returns how to store the objects of a class, or empty if it is not marked. */
    Optional<OutboxedType> typeOf(Class<?> type) {
        Optional<OutboxedType> known = types.get(type);
        return known != null ? known : types.computeIfAbsent(type, OutboxedEvents::find);
    }

    private static Optional<OutboxedType> find(Class<?> type) {
        Optional<OutboxedType> found = Optional.ofNullable(OutboxedType.of(type));
        if (found.isPresent()) {
            SpringProperties.requireIgnored(type);
        }
        return found;
    }

    /** Returns the event that the annotation describes. The version of an entity is that of this transaction. */
    OutboxEvent read(OutboxedType type, Object event) {
        if (type.hasSequence()) {
            changes.obtain().forEach(PendingChanges::flush);
        }
        return type.read(event);
    }

    /** Stores an event. */
    void store(OutboxedType type, Object event) {
        store(read(type, event), () -> type.describe(event) + " is @Outboxed and");
    }

    /** Stores an event, which a message describes with the given words. */
    void store(OutboxEvent event, Supplier<String> described) {
        try {
            publisher.obtain().publish(event);
        } catch (InvalidTransactionException ex) {
            throw new InvalidTransactionException(
                    "Spring event " + described.get() + " was not stored: " + ex.getMessage());
        }
    }
}
