package dev.outbox.internal.publish;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.internal.delivery.InsertedEvent;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.failure.SqlFailures;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.BoundConnection;
import dev.outbox.internal.store.EventStore;
import dev.outbox.internal.store.OutboxSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Publishes on the connection of the caller's transaction. One statement stores an event or a batch; if the caller chooses an event id
 * or the sequences of a batch, it runs two additional statements, which lock the counters and look up existing events.
 */
public final class TransactionalOutboxPublisher implements OutboxPublisher {

    private static final String UNIQUE_VIOLATION = "23505";
    private static final String REMEDY =
            "grant the role of the application what db/outbox/grants.sql gives to a publisher;"
                    + " one that chooses event ids also needs SELECT (payload, headers) on the outbox table";

    private final TransactionGuard transaction;
    private final EventWriter writer;
    private final EventStore store;
    private final NumberingInsert numberingInsert;
    private final AfterCommit afterCommit;

    public TransactionalOutboxPublisher(
            TransactionGuard transaction, EventWriter writer, OutboxSchema schema, AfterCommit afterCommit) {
        this.transaction = transaction;
        this.writer = writer;
        this.store = new EventStore(schema);
        this.numberingInsert = new NumberingInsert(store);
        this.afterCommit = afterCommit;
    }

    @Override
    public EventEnvelope publish(OutboxEvent event) {
        transaction.check();
        NewEvent written = writer.write(event);
        EventEnvelope envelope = call((connection) -> written.chosen().eventId()
                ? numberingInsert.insert(connection, List.of(written)).get(0)
                : insert(connection, written));
        afterCommit.published(envelope.stream());
        return envelope;
    }

    @Override
    public List<EventEnvelope> publishAll(Collection<OutboxEvent> events) {
        transaction.check();
        List<NewEvent> written = events.stream().map(writer::write).toList();
        if (written.isEmpty()) {
            return List.of();
        }
        boolean counted = written.stream()
                .noneMatch((event) -> event.chosen().eventId() || event.chosen().aggregateSeq() != null);
        List<EventEnvelope> envelopes = call(
                (connection) -> counted ? insertAll(connection, written) : numberingInsert.insert(connection, written));
        envelopes.forEach((envelope) -> afterCommit.published(envelope.stream()));
        return envelopes;
    }

    private EventEnvelope insert(Connection connection, NewEvent event) throws SQLException {
        return store.insert(connection, event).map(event::at).orElseThrow(() -> NumberingInsert.stale(event, null));
    }

    private List<EventEnvelope> insertAll(Connection connection, List<NewEvent> events) throws SQLException {
        Map<UUID, InsertedEvent> stored = store.insertAll(connection, events);
        return events.stream()
                .map((event) -> {
                    InsertedEvent place = stored.get(event.eventId());
                    if (place == null) {
                        throw new IllegalStateException("the database returned no row for event " + event.eventId());
                    }
                    return event.at(place);
                })
                .toList();
    }

    private <T> T call(BoundConnection.Work<T> work) {
        try {
            FaultPoint.BEFORE_INSERT.reached();
            T stored = transaction.call(work);
            FaultPoint.AFTER_INSERT.reached();
            return stored;
        } catch (SQLException refusal) {
            SQLException ex = Redaction.of(refusal);
            if (UNIQUE_VIOLATION.equals(ex.getSQLState())) {
                throw new EventConflictException("another transaction stored an event with the same id for another"
                        + " aggregate at the same time; roll back: " + ex.getMessage());
            }
            throw SqlFailures.translated("publish an event", REMEDY, ex);
        }
    }
}
