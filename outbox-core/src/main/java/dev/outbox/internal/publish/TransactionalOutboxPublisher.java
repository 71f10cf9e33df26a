package dev.outbox.internal.publish;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.EventHeadersContributor;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.StaleSequenceException;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Publishes on the connection of the caller's transaction. One statement stores an event or a batch; if the caller chooses an event id
 * or the sequences of a batch, additional statements lock the aggregates, look up existing events and compare their payloads.
 */
public final class TransactionalOutboxPublisher implements OutboxPublisher {

    private static final String UNIQUE_VIOLATION = "23505";
    private static final String SEQUENCE_KEY = "outbox_unpublished_aggregate";
    private static final String EVENT_KEY = "outbox_unpublished_event_id";

    private static final String REMEDY =
            "grant the role of the application what dev/outbox/grants.sql gives to a publisher;"
                    + " one that chooses event ids also needs SELECT (payload, headers) on the outbox table";

    private final TransactionGuard transaction;
    private final EventWriter writer;
    private final EventStore store;
    private final AfterCommit afterCommit;

    /** Creates a publisher of events of the given streams, which reports those of committed events and wakes their pollers. */
    public TransactionalOutboxPublisher(
            DataSource dataSource,
            OutboxSchema schema,
            TransactionPhase phase,
            PublisherSettings settings,
            Set<String> streams,
            HandlerRegistry registry,
            JsonMapper mapper,
            Supplier<Stream<EventHeadersContributor>> headers,
            Clock clock,
            LongSupplier nanos,
            RandomGenerator random,
            OutboxListener listener,
            Consumer<CommittedEvents> wakeUp) {
        this.writer = new EventWriter(settings, streams, registry, mapper, headers, clock, nanos, random);
        this.store = new EventStore(schema);
        this.afterCommit = new AfterCommit(wakeUp, listener, clock);
        this.transaction = new TransactionGuard(dataSource, phase, afterCommit);
    }

    @Override
    public List<EventEnvelope> publishAll(Collection<OutboxEvent> events) {
        transaction.check();
        List<NewEvent> written = events.stream().map(writer::write).toList();
        return written.isEmpty() ? List.of() : store(written);
    }

    @Override
    public boolean cancel(String aggregateType, String aggregateId, String key) {
        transaction.check();
        Aggregate aggregate = new Aggregate(
                StorableText.requireName("aggregate type", aggregateType),
                StorableText.requireName("aggregate id", aggregateId));
        String name = StorableText.requireName("key", key);
        try (BoundConnection.Held held = transaction.connection()) {
            return store.withdraw(held.connection(), aggregate, name);
        } catch (SQLException refusal) {
            throw Causes.translated("cancel a scheduled event", REMEDY, Causes.explained(Redaction.of(refusal)));
        }
    }

    private List<EventEnvelope> store(List<NewEvent> events) {
        FaultPoint.BEFORE_INSERT.reached();
        try (BoundConnection.Held held = transaction.connection()) {
            List<EventEnvelope> envelopes = store.insert(held.connection(), events);
            events.forEach(afterCommit::published);
            FaultPoint.AFTER_INSERT.reached();
            return envelopes;
        } catch (SQLException refusal) {
            throw refused(events, Causes.explained(Redaction.of(refusal)));
        }
    }

    /** The database does not say which event of a batch it refuses. */
    private static RuntimeException refused(List<NewEvent> events, SQLException ex) {
        String message = String.valueOf(ex.getMessage());
        Optional<NewEvent> numbered =
                events.stream().filter((event) -> !event.isCounted()).findFirst();
        boolean duplicate = UNIQUE_VIOLATION.equals(ex.getSQLState());
        if (duplicate && message.contains(SEQUENCE_KEY) && numbered.isPresent()) {
            return stale(numbered.get(), events.size() > 1, ex);
        }
        if (duplicate && message.contains(EVENT_KEY)) {
            return new EventConflictException(
                    "another transaction stored an event with the same id at the same time; roll back and repeat: "
                            + message);
        }
        return Causes.translated("publish an event", REMEDY, ex);
    }

    private static StaleSequenceException stale(NewEvent event, boolean batch, SQLException ex) {
        return new StaleSequenceException(
                (batch ? "a sequence of this batch, such as " : "sequence ")
                        + event.given().sequence() + " of "
                        + event.type().name() + " of " + event.aggregate()
                        + ", is taken by another event: another transaction has changed the entity, or this one has published"
                        + " for the same version before, or the version was read before the change was written; roll back,"
                        + " read the entity again and repeat",
                ex);
    }
}
