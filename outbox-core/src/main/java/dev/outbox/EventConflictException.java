package dev.outbox;

/**
 * The caller's event id already belongs to a stored event of another aggregate or type. Nothing was stored.
 *
 * <p>The transaction remains usable, with one exception: if two transactions store the same id at the same time without a common lock, for
 * two aggregates or with sequences of the caller, PostgreSQL refuses the later INSERT, and that transaction must roll back.
 */
public final class EventConflictException extends PublishException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception. Not for applications. */
    public EventConflictException(String message) {
        super(message, null);
    }
}
