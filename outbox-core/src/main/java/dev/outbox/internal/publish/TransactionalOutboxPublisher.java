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
 * or the sequences of a batch, up to two additional statements lock the aggregates and look up existing events.
 */
public final class TransactionalOutboxPublisher implements OutboxPublisher {

    private static final String UNIQUE_VIOLATION = "23505";
    private static final String SEQUENCE_KEY = "outbox_unpublished_aggregate";

    private static final String REMEDY =
            "grant the role of the application what db/outbox/grants.sql gives to a publisher;"
                    + " one that chooses event ids also needs SELECT (payload, headers) on the outbox table";

    private final TransactionGuard transaction;
    private final EventWriter writer;
    private final EventStore store;
    private final Numbering numbering;
    private final NumberingInsert numberingInsert;
    private final AfterCommit afterCommit;

    public TransactionalOutboxPublisher(
            TransactionGuard transaction,
            EventWriter writer,
            OutboxSchema schema,
            Numbering numbering,
            AfterCommit afterCommit) {
        this.transaction = transaction;
        this.writer = writer;
        this.store = new EventStore(schema);
        this.numbering = numbering;
        this.numberingInsert = new NumberingInsert(store);
        this.afterCommit = afterCommit;
    }

    @Override
    public EventEnvelope publish(OutboxEvent event) {
        transaction.check();
        NewEvent written = writer.write(event);
        EventEnvelope envelope = call(
                List.of(written),
                (connection) -> written.chosen().eventId()
                        ? numberingInsert.insert(connection, List.of(written)).get(0)
                        : written.at(store.insert(connection, written)));
        afterCommit.published(written);
        return envelope;
    }

    @Override
    public List<EventEnvelope> publishAll(Collection<OutboxEvent> events) {
        if (events.size() == 1) {
            return List.of(publish(events.iterator().next()));
        }
        transaction.check();
        List<NewEvent> written = events.stream().map(writer::write).toList();
        if (written.isEmpty()) {
            return List.of();
        }
        boolean counted = written.stream()
                .noneMatch((event) -> event.chosen().eventId() || event.chosen().sequence() != null);
        List<EventEnvelope> envelopes = call(
                written,
                (connection) -> counted ? insertAll(connection, written) : numberingInsert.insert(connection, written));
        written.forEach(afterCommit::published);
        return envelopes;
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

    private <T> T call(List<NewEvent> events, BoundConnection.Work<T> work) {
        try {
            FaultPoint.BEFORE_INSERT.reached();
            T stored = transaction.call((connection) -> {
                numbering.require(connection, events);
                return work.apply(connection);
            });
            FaultPoint.AFTER_INSERT.reached();
            return stored;
        } catch (SQLException refusal) {
            throw refused(events, Redaction.of(refusal));
        }
    }

    /** Batches name their first event: the database does not say which one it refuses. */
    private static RuntimeException refused(List<NewEvent> events, SQLException ex) {
        String message = String.valueOf(ex.getMessage());
        if (UNIQUE_VIOLATION.equals(ex.getSQLState()) && message.contains(SEQUENCE_KEY)) {
            return NumberingInsert.stale(events.get(0), ex);
        }
        if (UNIQUE_VIOLATION.equals(ex.getSQLState())) {
            return new EventConflictException("another transaction stored an event with the same id for another"
                    + " aggregate at the same time; roll back: " + message);
        }
        return SqlFailures.translated("publish an event", REMEDY, ex);
    }
}
