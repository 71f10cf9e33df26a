package dev.outbox.internal.deadletter;

import dev.outbox.DeadLetter;
import dev.outbox.HandlerDefinition.DeadLetterHandler;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.dispatch.FailureLog;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.dispatch.LogContext;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Calls the dead-letter methods of this instance's handlers, each in the transaction that marks the dead letter as handled. */
public final class DeadLetterReporter implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DeadLetterReporter.class);

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Duration UNTIL_WOKEN = Duration.ofHours(1);
    private static final int BATCH_SIZE = 100;
    private static final int TIMEOUT_SECONDS = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final DeadLetterStore store;
    private final Supplier<Map<String, DeadLetterHandler>> methods;
    private final Supplier<Optional<PlatformTransactionManager>> transactions;
    private final FailureObserver observer;
    private final FailureLog failures = new FailureLog(System::nanoTime);
    private final BackgroundLoop loop;

    /**
     * Creates a reporter that has not started, for methods by every id of their handlers. It needs a transaction manager only if there is
     * one.
     */
    public DeadLetterReporter(
            DataSource dataSource,
            OutboxSchema schema,
            Supplier<Map<String, DeadLetterHandler>> methods,
            Supplier<Optional<PlatformTransactionManager>> transactions,
            FailureObserver observer) {
        this.store = new DeadLetterStore(dataSource, schema);
        this.methods = methods;
        this.transactions = transactions;
        this.observer = observer;
        this.loop = new BackgroundLoop("outbox-dead-letters", dataSource, this::runOnce);
    }

    /** Starts the thread if a handler has a dead-letter method. */
    public void start() {
        Set<String> ids = methods.get().keySet();
        if (!ids.isEmpty()) {
            log.debug("Dead-letter methods of {} run in transactions of {}", ids, manager());
            loop.start();
        }
    }

    private PlatformTransactionManager manager() {
        return transactions
                .get()
                .orElseThrow(() -> new OutboxConfigurationException(
                        "the handlers " + new TreeSet<>(methods.get().keySet())
                                + " have dead-letter methods, but no unique transaction manager for the outbox's DataSource exists;"
                                + " define one for it, or mark one of several @Primary"));
    }

    /** Makes the thread look for dead letters at once. */
    public void wake() {
        loop.wake();
    }

    /** Calls the methods of the handlers that are due, and returns the delay until the next call. */
    public Duration runOnce() throws SQLException {
        failures.summarize();
        Map<String, DeadLetterHandler> current = methods.get();
        if (current.isEmpty()) {
            return UNTIL_WOKEN;
        }
        boolean more = false;
        Map<String, Boolean> waiting = store.waiting(current.keySet());
        for (Map.Entry<String, Boolean> handler : waiting.entrySet()) {
            DeadLetterHandler method = Objects.requireNonNull(current.get(handler.getKey()));
            more |= handler.getValue() && reportBatch(handler.getKey(), method);
        }
        if (more) {
            return Duration.ZERO;
        }
        return waiting.isEmpty() ? UNTIL_WOKEN : PERIOD;
    }

    /** Returns whether the handler may have more. A batch is bounded, so that the backlog of one handler does not delay the others. */
    private boolean reportBatch(String handlerId, DeadLetterHandler method) throws SQLException {
        for (int i = 0; i < BATCH_SIZE; i++) {
            if (loop.isClosing() || !reportNext(handlerId, method)) {
                return false;
            }
        }
        return true;
    }

    private boolean reportNext(String handlerId, DeadLetterHandler method) throws SQLException {
        TransactionStatus transaction = manager().getTransaction(definition(handlerId));
        Optional<DeadLetter> letter = Optional.empty();
        try {
            letter = store.lockNext(handlerId);
            if (letter.isPresent()) {
                report(letter.get(), method, transaction);
            }
            store.limitEnd();
        } catch (Throwable ex) {
            rollBack(transaction, ex);
            return postpone(letter, ex);
        }
        try {
            manager().commit(transaction);
        } catch (Throwable ex) {
            // Not only a TransactionException: some transaction managers translate the failure of a commit.
            return postpone(letter, ex);
        }
        return letter.isPresent();
    }

    private void report(DeadLetter letter, DeadLetterHandler method, TransactionStatus transaction) throws Exception {
        LogContext context = LogContext.enter(letter.event(), letter.handlerId(), letter.failures());
        try {
            method.handle(letter);
        } finally {
            context.leave();
            // An interrupt flag that the method left set would break the connection.
            Thread.interrupted();
        }
        if (transaction.isRollbackOnly()) {
            throw new UnexpectedRollbackException(
                    "the dead-letter method returned, but marked its transaction as rollback-only; throw an exception to fail");
        }
        store.markReported(letter);
    }

    /** Returns whether to look for the next dead letter at once. */
    private boolean postpone(Optional<DeadLetter> letter, Throwable ex) throws SQLException {
        if (letter.isEmpty()) {
            throw new IllegalStateException("cannot read dead letters", ex);
        }
        if (loop.isClosing()) {
            return false;
        }
        DeadLetter failed = letter.get();
        observer.deadLetterMethodFailed(failed, ex);
        store.postpone(failed);
        String method = "The dead-letter method of handler " + failed.handlerId();
        failures.retry(method, 1, ex)
                .log("{} failed with {}; its work is rolled back, and it will be called again", method, failed.event());
        return true;
    }

    /** Needs its own transaction: the mark must commit with the work of the method. */
    private static TransactionDefinition definition(String handlerId) {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName("dead letter of " + handlerId);
        definition.setTimeout(TIMEOUT_SECONDS);
        return definition;
    }

    private void rollBack(TransactionStatus transaction, Throwable cause) {
        store.limitEnd();
        try {
            manager().rollback(transaction);
        } catch (RuntimeException ex) {
            cause.addSuppressed(ex);
        }
    }

    @Override
    public void close() {
        loop.close(PATIENCE);
        failures.summarize(Duration.ZERO);
    }
}
