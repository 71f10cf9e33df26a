package dev.outbox.internal.publish;

import dev.outbox.InvalidTransactionException;
import dev.outbox.internal.sql.BoundConnection;
import java.lang.reflect.Method;
import javax.sql.DataSource;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Checks that events can commit with the caller's transaction, and provides its connection. */
final class TransactionGuard {

    private final BoundConnection connection;
    private final TransactionPhase phase;
    private final AfterCommit afterCommit;

    TransactionGuard(DataSource dataSource, TransactionPhase phase, AfterCommit afterCommit) {
        this.phase = phase;
        this.afterCommit = afterCommit;
        this.connection = new BoundConnection(dataSource);
    }

    /** Refuses a missing or read-only transaction and one of another data source, without SQL. */
    void check() {
        if (phase.isKnown() ? phase.isEnding() : afterCommit.hasCommitted()) {
            throw new InvalidTransactionException(
                    "the transaction has ended already, and this is one of the callbacks that follow"
                            + " (such as @TransactionalEventListener): the event would not commit with it; publish before the commit,"
                            + " or in a transaction of its own (Propagation.REQUIRES_NEW)");
        }
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            if (connection.exists()) {
                throw new InvalidTransactionException(
                        "the transaction manager does not synchronize its transactions, so the outbox cannot follow them; set its"
                                + " transactionSynchronization to SYNCHRONIZATION_ALWAYS, the default");
            }
            throw new InvalidTransactionException(
                    "no transaction is active on this thread" + bypassedProxy() + "; publish inside the @Transactional"
                            + " method (or TransactionTemplate) that makes the domain change, so that both commit together");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new InvalidTransactionException(
                    transaction() + " is read-only and cannot store an event; remove readOnly = true");
        }
        if (!connection.exists()) {
            throw new InvalidTransactionException(
                    transaction() + " does not use the outbox's DataSource, so the event would not commit with it;"
                            + " use the transaction manager of the outbox's DataSource, or mark the DataSource of this one with"
                            + " @OutboxDataSource");
        }
    }

    /** Names the transaction of a method; one of a TransactionTemplate may have no name. */
    private static String transaction() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "the transaction" : "the transaction " + name;
    }

    /** Names the innermost caller that decides whether there is a transaction, if it is marked to run in one. */
    private static String bypassedProxy() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk((frames) -> frames.filter((frame) -> propagation(frame) != Propagation.SUPPORTS)
                        .findFirst()
                        .filter(TransactionGuard::wantsTransaction)
                        .map((frame) -> ", although " + frame.getClassName() + "." + frame.getMethodName()
                                + " is @Transactional: it was called without its proxy, from its own class, as a private"
                                + " method or on an object that is no bean")
                        .orElse(""));
    }

    private static boolean wantsTransaction(StackWalker.StackFrame frame) {
        Propagation propagation = propagation(frame);
        return propagation != Propagation.NOT_SUPPORTED && propagation != Propagation.NEVER;
    }

    /** Returns the mark of a method; one that is not marked leaves it to its caller, as does {@code SUPPORTS}. */
    private static Propagation propagation(StackWalker.StackFrame frame) {
        try {
            Method method = frame.getDeclaringClass()
                    .getDeclaredMethod(
                            frame.getMethodName(), frame.getMethodType().parameterArray());
            Transactional mark = AnnotatedElementUtils.getMergedAnnotation(method, Transactional.class);
            return mark == null ? Propagation.SUPPORTS : mark.propagation();
        } catch (NoSuchMethodException | LinkageError ex) {
            return Propagation.SUPPORTS;
        }
    }

    /** Returns the connection of the caller's transaction. */
    BoundConnection.Held connection() {
        return connection.hold();
    }
}
