package dev.outbox.internal.publish;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractTransactionStatus;

/**
 * Knows whether the transaction of the calling thread is still open, and how the last one ended. To Spring, a transaction seems active
 * while the callbacks that follow its commit run, although nothing that is written then belongs to it: whether it is committed or lost
 * depends on the connection pool. To be registered with the transaction manager, as Boot does with every bean of this type.
 */
public final class TransactionPhase implements TransactionExecutionListener {

    private final ThreadLocal<Deque<Phase>> phases = ThreadLocal.withInitial(ArrayDeque::new);

    /** How the last transaction of each watched thread ended. */
    private final Map<Thread, Ending> lastEndings = new ConcurrentHashMap<>();

    private enum Ending {
        NONE,
        VISIBLE,
        SILENT_ROLLBACK
    }

    private enum Phase {
        OPEN,
        ENDING
    }

    /** Creates a listener that knows of no transaction yet. */
    public TransactionPhase() {}

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
        if (beginFailure == null) {
            phases.get().push(Phase.OPEN);
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        end();
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        end();
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
        forget();
        note(Ending.VISIBLE);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        forget();
        note(isMarked(transaction) ? Ending.SILENT_ROLLBACK : Ending.VISIBLE);
    }

    /** Watches how the transactions of the calling thread end, until {@link #endWatch}. */
    public void beginWatch() {
        lastEndings.put(Thread.currentThread(), Ending.NONE);
    }

    /** Ends the watch of the calling thread. */
    public boolean endWatch() {
        return lastEndings.remove(Thread.currentThread()) == Ending.SILENT_ROLLBACK;
    }

    private void note(Ending ending) {
        lastEndings.replace(Thread.currentThread(), ending);
    }

    /** A mark that a participant set does not count: the owner's commit then throws. */
    private static boolean isMarked(TransactionExecution transaction) {
        return transaction instanceof AbstractTransactionStatus status
                ? status.isLocalRollbackOnly()
                : transaction.isRollbackOnly();
    }

    /** Whether the innermost transaction of this thread has begun to commit or to roll back. */
    boolean isEnding() {
        return phases.get().peek() == Phase.ENDING;
    }

    private void end() {
        Deque<Phase> stack = phases.get();
        if (stack.poll() != null) {
            stack.push(Phase.ENDING);
        }
    }

    private void forget() {
        Deque<Phase> stack = phases.get();
        stack.poll();
        if (stack.isEmpty()) {
            phases.remove();
        }
    }
}
