package dev.outbox.publish;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Knows whether the transaction of the calling thread is still open. To Spring, a transaction seems active while the callbacks
 * that follow its commit run, although nothing that is written then belongs to it: whether it is committed or lost depends on
 * the connection pool. To be registered with the transaction manager, as Boot does with every bean of this type.
 */
public final class TransactionPhase implements TransactionExecutionListener {

    private final ThreadLocal<Deque<Phase>> phases = ThreadLocal.withInitial(ArrayDeque::new);

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
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        forget();
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
