package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.ProcessedEventStore;
import dev.outbox.listener.OutboxListener;
import java.util.ArrayList;
import java.util.List;
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
        return handler.decorated((own) -> (payload, envelope, context) ->
                handleOnce(ids, envelope, () -> own.handle(payload, envelope, context)));
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private void handleOnce(List<String> ids, EventEnvelope envelope, Work work) throws Exception {
        String id = ids.get(ids.size() - 1);
        TransactionStatus transaction = transactions.getTransaction(definition(id));
        boolean first;
        try {
            FaultPoint.BEFORE_DEDUPLICATION.reached();
            first = store.insert(envelope.eventId(), ids);
            FaultPoint.AFTER_DEDUPLICATION.reached();
            if (first) {
                work.run();
                // On a virtual thread, an interrupt flag that the handler left set breaks the connection at the commit.
                Thread.interrupted();
            }
        } catch (Throwable ex) {
            rollBack(transaction, ex);
            throw ex;
        }
        FaultPoint.BEFORE_HANDLER_COMMIT.reached();
        transactions.commit(transaction);
        FaultPoint.AFTER_HANDLER_COMMIT.reached();
        if (!first) {
            log.debug("{} has processed {} before", id, envelope);
            listener.deduplicated(envelope.stream(), id);
        }
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
