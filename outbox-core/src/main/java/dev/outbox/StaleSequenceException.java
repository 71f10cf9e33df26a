package dev.outbox;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;

/**
 * The caller's sequence does not exceed that of a stored event of the aggregate: another transaction has changed the entity, or is about
 * to. Nothing was stored. Roll back, read the entity again and repeat, as after any other optimistic locking failure; what retries those
 * retries this one.
 */
public final class StaleSequenceException extends OptimisticLockingFailureException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception. Not for applications.
     *
     * @param message the sequence and the aggregate
     * @param cause the violation of the unique index, or {@code null} if the database reported none
     */
    public StaleSequenceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
