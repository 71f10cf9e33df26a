package dev.outbox.spring.autoconfigure.events;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.Outboxed;
import dev.outbox.internal.store.BoundConnection;
import dev.outbox.spring.autoconfigure.SpringEvents.WithoutTransaction;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/** Stores objects of classes marked {@link Outboxed}, in the transaction of the calling thread. Safe for use by many threads. */
final class OutboxedEvents {

    private static final Logger log = LoggerFactory.getLogger(OutboxedEvents.class);

    private final SingletonSupplier<OutboxPublisher> publisher;
    private final Supplier<DataSource> dataSource;
    private final SingletonSupplier<List<PendingChanges>> changes;
    private final WithoutTransaction withoutTransaction;
    private final Map<Class<?>, Optional<OutboxedType>> types = new ConcurrentHashMap<>();

    /** Asks for the beans with the first event, because other events are published before they can exist. */
    OutboxedEvents(
            ObjectProvider<OutboxPublisher> publishers,
            Supplier<DataSource> dataSource,
            ObjectProvider<PendingChanges> changes,
            WithoutTransaction withoutTransaction) {
        this.publisher = SingletonSupplier.of(publishers::getObject);
        this.dataSource = dataSource;
        this.changes = SingletonSupplier.of(() -> changes.orderedStream().toList());
        this.withoutTransaction = withoutTransaction;
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

    /** Stores an event. Returns whether it did: without a transaction, the configuration decides. */
    boolean store(OutboxedType type, Object event) {
        if (withoutTransaction == WithoutTransaction.WARN && !hasTransaction()) {
            log.warn(
                    "Spring event {} is not stored, because no transaction of the outbox's DataSource is active; publish it"
                            + " inside a @Transactional method",
                    type.describe(event));
            return false;
        }
        if (type.hasSequence()) {
            changes.obtain().forEach(PendingChanges::flush);
        }
        OutboxEvent read = type.read(event);
        try {
            publisher.obtain().publish(read);
            return true;
        } catch (InvalidTransactionException ex) {
            throw new InvalidTransactionException(
                    "Spring event " + type.describe(event) + " is @Outboxed and was not stored: " + ex.getMessage());
        }
    }

    private boolean hasTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && new BoundConnection(dataSource.get()).exists();
    }
}
