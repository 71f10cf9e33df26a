package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.BatchOutcome;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.publish.Aggregate;
import dev.outbox.listener.OutboxListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Gives a handler its effects in the database once per event: it runs in a transaction that first inserts the event as processed. A
 * concurrent second delivery waits for that transaction for a second, and runs only if it rolls back. If it stays open, the delivery is
 * queued for redelivery: its worker may be dead, and its transaction may still commit.
 */
final class DeduplicationInbox {

    private static final Logger log = LoggerFactory.getLogger(DeduplicationInbox.class);

    private static final Duration DELAY_WHILE_LOCKED = Duration.ofSeconds(10);

    private final ProcessedEventStore store;
    private final PlatformTransactionManager transactions;
    private final OutboxListener listener;

    DeduplicationInbox(ProcessedEventStore store, PlatformTransactionManager transactions, OutboxListener listener) {
        this.store = store;
        this.transactions = transactions;
        this.listener = listener;
    }

    /** Returns a handler with the inbox before it. */
    HandlerDefinition before(HandlerDefinition handler) {
        List<String> ids = new ArrayList<>(handler.aliases());
        ids.add(handler.id());
        return handler.isBatch()
                ? handler.decorated((own) -> (payload, envelope, context) ->
                        handleAllOnce(ids, (Batch) payload, (batch) -> own.handle(batch, envelope, context)))
                : handler.decorated((own) -> (payload, envelope, context) -> handleAllOnce(
                        ids,
                        new Batch(List.of(payload), List.of(envelope), (event, cause) -> {}),
                        (one) -> own.handle(payload, envelope, context)));
    }

    @FunctionalInterface
    private interface BatchWork {
        void run(Batch batch) throws Exception;
    }

    /** The attempt does not count: the event cannot help it. */
    private static RetryAfterException locked(List<String> ids, SQLException ex) {
        return RetryAfterException.uncounted(
                DELAY_WHILE_LOCKED,
                "another transaction has recorded the event for the deduplicating handler '" + ids.get(ids.size() - 1)
                        + "' and is still open: another instance handles the event, or died without closing its connection, whose"
                        + " transaction the database keeps until it notices",
                ex);
    }

    /** If single events fail, nothing of the batch stays, and the others are handled again without them. */
    private void handleAllOnce(List<String> ids, Batch batch, BatchWork work) throws Exception {
        Batch rest = batch;
        while (!rest.events().isEmpty()) {
            BatchFailures failures = new BatchFailures(rest);
            Batch all = rest;
            try {
                Set<UUID> fresh = inTransaction(ids, () -> {
                    List<UUID> eventIds =
                            all.events().stream().map(EventEnvelope::eventId).toList();
                    Set<UUID> inserted = insert(eventIds, ids);
                    FaultPoint.AFTER_DEDUPLICATION.reached();
                    Batch part = failures.only((event) -> inserted.contains(event.eventId()), failures);
                    if (!part.events().isEmpty()) {
                        work.run(part);
                    }
                    failures.throwIfAny();
                    return inserted;
                });
                all.events().stream()
                        .filter((event) -> !fresh.contains(event.eventId()))
                        .forEach((event) -> reportKnown(ids, event));
                return;
            } catch (FailedEventsException ex) {
                if (ex.locked != null) {
                    failLocked(all, ids, ex.locked, failures);
                }
                failures.reportTo(batch.outcome());
                rest = failures.only(failures::isUntouched, batch.outcome());
            }
        }
    }

    /** Rolls the transaction back, because single events have failed or are locked. */
    private static final class FailedEventsException extends Exception {

        private static final long serialVersionUID = 1L;

        private final @Nullable SQLException locked;

        FailedEventsException(@Nullable SQLException locked) {
            this.locked = locked;
        }
    }

    private Set<UUID> insert(List<UUID> eventIds, List<String> ids) throws Exception {
        try {
            return store.insert(eventIds, ids);
        } catch (SQLException ex) {
            if (!ProcessedEventStore.isLocked(ex)) {
                throw ex;
            }
            throw eventIds.size() == 1 ? locked(ids, ex) : new FailedEventsException(ex);
        }
    }

    /** Fails the events that other transactions have recorded, so that the rest of the batch is handled without them. */
    private void failLocked(Batch batch, List<String> ids, SQLException cause, BatchFailures failures)
            throws Exception {
        List<UUID> eventIds =
                batch.events().stream().map(EventEnvelope::eventId).toList();
        Set<UUID> locked = inTransaction(ids, () -> store.findLocked(eventIds, ids));
        RetryAfterException failure = locked(ids, cause);
        if (locked.isEmpty()) {
            throw failure;
        }
        batch.events().stream()
                .filter((event) -> locked.contains(event.eventId()))
                .forEach((event) -> failures.failed(event, failure));
    }

    private void reportKnown(List<String> ids, EventEnvelope envelope) {
        String id = ids.get(ids.size() - 1);
        log.debug("{} has processed {} before", id, envelope);
        listener.deduplicated(envelope.stream(), id);
    }

    private <T> T inTransaction(List<String> ids, Callable<T> work) throws Exception {
        TransactionStatus transaction = transactions.getTransaction(definition(ids.get(ids.size() - 1)));
        T result;
        try {
            FaultPoint.BEFORE_DEDUPLICATION.reached();
            result = work.call();
            // On a virtual thread, an interrupt flag that the handler left set breaks the connection at the commit.
            Thread.interrupted();
            store.limitEnd();
        } catch (Throwable ex) {
            rollBack(transaction, ex);
            throw ex;
        }
        FaultPoint.BEFORE_HANDLER_COMMIT.reached();
        transactions.commit(transaction);
        FaultPoint.AFTER_HANDLER_COMMIT.reached();
        return result;
    }

    /** Needs its own transaction: the inbox must see the commit. */
    private static TransactionDefinition definition(String name) {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName(name);
        return definition;
    }

    private void rollBack(TransactionStatus transaction, Throwable cause) {
        store.limitEnd();
        try {
            transactions.rollback(transaction);
        } catch (RuntimeException ex) {
            cause.addSuppressed(ex);
        }
    }

    /** Failures of single events of a deduplicating batch handler, kept until its transaction has rolled back. */
    private static final class BatchFailures implements BatchOutcome {

        private final Batch batch;
        private final Map<EventEnvelope, Throwable> failed = Collections.synchronizedMap(new LinkedHashMap<>());

        BatchFailures(Batch batch) {
            this.batch = batch;
        }

        @Override
        public void failed(Object event, Throwable cause) {
            Objects.requireNonNull(cause, "cause");
            boolean found = false;
            for (int i = 0; i < batch.events().size(); i++) {
                EventEnvelope envelope = batch.events().get(i);
                if (envelope == event || batch.payloads().get(i) == event) {
                    failed.putIfAbsent(envelope, cause);
                    found = true;
                }
            }
            if (!found) {
                batch.outcome().failed(event, cause);
            }
        }

        void throwIfAny() throws FailedEventsException {
            if (!failed.isEmpty()) {
                throw new FailedEventsException(null);
            }
        }

        void reportTo(BatchOutcome outcome) {
            failed.forEach(outcome::failed);
        }

        /** Returns whether neither the event nor an earlier one of its aggregate has failed. */
        boolean isUntouched(EventEnvelope event) {
            return failed.keySet().stream()
                    .noneMatch((one) ->
                            Aggregate.of(one).equals(Aggregate.of(event)) && one.sequence() <= event.sequence());
        }

        /** Returns a part of the batch. */
        Batch only(Predicate<EventEnvelope> part, BatchOutcome outcome) {
            List<Object> payloads = new ArrayList<>();
            List<EventEnvelope> events = new ArrayList<>();
            for (int i = 0; i < batch.events().size(); i++) {
                if (part.test(batch.events().get(i))) {
                    payloads.add(batch.payloads().get(i));
                    events.add(batch.events().get(i));
                }
            }
            return new Batch(payloads, events, outcome);
        }
    }
}
