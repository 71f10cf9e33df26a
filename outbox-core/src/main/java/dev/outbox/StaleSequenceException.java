package dev.outbox;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;

/**
 * An event in the queue has the same aggregate and the sequence that the caller gave: another transaction has changed the entity, or this
 * one has published for the same version before. The transaction must roll back. Read the entity again and repeat, as after any other
 * optimistic locking failure; what retries those retries this one.
 */
public final class StaleSequenceException extends OptimisticLockingFailureException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception. Not for applications. */
    public StaleSequenceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
