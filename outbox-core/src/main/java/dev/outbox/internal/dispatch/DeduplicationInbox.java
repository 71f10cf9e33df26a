package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerBatch;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.ProcessedEventStore;
import dev.outbox.listener.OutboxListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Gives a handler its effects in the database once per event: it runs in a transaction that first inserts the event as processed. A
 * concurrent second delivery waits for that transaction, and runs only if it rolls back.
 */
public final class DeduplicationInbox {

    private static final Logger log = LoggerFactory.getLogger(DeduplicationInbox.class);

    private final ProcessedEventStore store;
    private final PlatformTransactionManager transactions;
    private final OutboxListener listener;

    public DeduplicationInbox(
            ProcessedEventStore store, PlatformTransactionManager transactions, OutboxListener listener) {
        this.store = store;
        this.transactions = transactions;
        this.listener = listener;
    }

    /** Returns a handler with the inbox before it. */
    public HandlerDefinition before(HandlerDefinition handler) {
        List<String> ids = new ArrayList<>(handler.aliases());
        ids.add(handler.id());
        return handler.options().batch() != null
                ? handler.decorated((own) -> (payload, envelope, context) ->
                        handleAllOnce(ids, (HandlerBatch) payload, (batch) -> own.handle(batch, envelope, context)))
                : handler.decorated((own) -> (payload, envelope, context) ->
                        handleOnce(ids, envelope, () -> own.handle(payload, envelope, context)));
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    @FunctionalInterface
    private interface BatchWork {
        void run(HandlerBatch batch) throws Exception;
    }

    private void handleOnce(List<String> ids, EventEnvelope envelope, Work work) throws Exception {
        boolean first = inTransaction(ids, () -> {
            boolean fresh = store.insert(envelope.eventId(), ids);
            FaultPoint.AFTER_DEDUPLICATION.reached();
            if (fresh) {
                work.run();
            }
            return fresh;
        });
        if (!first) {
            reportKnown(ids, envelope);
        }
    }

    /** If single events fail, nothing of the batch stays, and the others are handled again without them. */
    private void handleAllOnce(List<String> ids, HandlerBatch batch, BatchWork work) throws Exception {
        HandlerBatch rest = batch;
        while (!rest.events().isEmpty()) {
            BatchFailures failures = new BatchFailures(rest);
            HandlerBatch all = rest;
            try {
                Set<UUID> fresh = inTransaction(ids, () -> {
                    List<UUID> eventIds =
                            all.events().stream().map(EventEnvelope::eventId).toList();
                    Set<UUID> inserted = store.insertAll(eventIds, ids);
                    FaultPoint.AFTER_DEDUPLICATION.reached();
                    HandlerBatch part = failures.only((event) -> inserted.contains(event.eventId()), failures);
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
            } catch (BatchFailures.SingleFailuresException ex) {
                failures.reportTo(batch.outcome());
                rest = failures.only(failures::isUntouched, batch.outcome());
            }
        }
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
        try {
            transactions.rollback(transaction);
        } catch (RuntimeException ex) {
            cause.addSuppressed(ex);
        }
    }
}
