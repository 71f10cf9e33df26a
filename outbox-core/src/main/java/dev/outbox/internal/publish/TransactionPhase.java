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
 * Phase of the calling thread's transaction, and how the last one ended. Spring reports a transaction as active during the callbacks
 * after its commit, although what they write does not belong to it. Register it with the transaction manager; Boot does so for a bean.
 */
public final class TransactionPhase implements TransactionExecutionListener {

    private final ThreadLocal<Deque<Phase>> phases = ThreadLocal.withInitial(ArrayDeque::new);

    /** How the last transaction of each watched thread ended. */
    private final Map<Thread, Ending> lastEndings = new ConcurrentHashMap<>();

    /** How a transaction ended. */
    public enum Ending {
        /** There was none. */
        NONE,
        /** It committed. */
        COMMIT,
        /** It committed, and could not write. */
        READ_ONLY,
        /** It was rolled back, and an exception says so. */
        ROLLBACK,
        /** It was rolled back without an exception. */
        SILENT_ROLLBACK
    }

    private enum Phase {
        OPEN,
        ENDING
    }

    /** Creates a listener that has seen no transaction yet. */
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
        note(commitFailure != null ? Ending.ROLLBACK : transaction.isReadOnly() ? Ending.READ_ONLY : Ending.COMMIT);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        forget();
        note(isMarked(transaction) ? Ending.SILENT_ROLLBACK : Ending.ROLLBACK);
    }

    /** Records how transactions of the calling thread end, until {@link #endWatch}. */
    public void beginWatch() {
        lastEndings.put(Thread.currentThread(), Ending.NONE);
    }

    /** Ends the watch, and returns how the last transaction ended. */
    public Ending endWatch() {
        Ending last = lastEndings.remove(Thread.currentThread());
        return last == null ? Ending.NONE : last;
    }

    private void note(Ending ending) {
        lastEndings.replace(Thread.currentThread(), ending);
    }

    /** Ignores the mark of a participating transaction: the commit of its owner then throws. */
    private static boolean isMarked(TransactionExecution transaction) {
        return transaction instanceof AbstractTransactionStatus status
                ? status.isLocalRollbackOnly()
                : transaction.isRollbackOnly();
    }

    /** Returns whether this listener has seen the calling thread's transaction begin: its manager has the listener. */
    boolean isKnown() {
        return phases.get().peek() != null;
    }

    /** Returns whether the innermost transaction of this thread has begun to commit or to roll back. */
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
