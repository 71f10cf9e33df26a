package dev.outbox.operations;

import dev.outbox.OutboxException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An operation was refused. Nothing was changed, except that a retry or skip keeps the batches that it had committed before the database
 * gave up on a {@linkplain Reason#SELECTION_TOO_BROAD selection}.
 */
public final class InvalidOperationException extends OutboxException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why an operation was refused. */
    public enum Reason {
        /**
         * An argument breaks a rule: the operator or the reason is missing, the selection is empty or unrestricted, or no process has ever
         * polled the stream.
         */
        INVALID_ARGUMENT,
        /** No process has registered the handler, or its registration has expired. */
        UNKNOWN_HANDLER,
        /** A running instance has the handler, under this id or with it as an alias. */
        HANDLER_PRESENT,
        /** Another registered handler has the id as an alias, although no running instance has it. */
        HANDLER_RENAMED,
        /** A running instance takes such events in the handler, or did less than 2 minutes ago. */
        SUBSCRIPTION_PRESENT,
        /** Events to erase are not delivered yet. */
        UNDELIVERED,
        /** The database needed longer than 5 s for the selection, because no index serves its filters. */
        SELECTION_TOO_BROAD
    }

    /** Creates an exception for an invalid argument. Not for applications. */
    public InvalidOperationException(String message) {
        this(Reason.INVALID_ARGUMENT, message, null);
    }

    /** Creates an exception. Not for applications. */
    public InvalidOperationException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Refuses a text that PostgreSQL cannot store. Not for applications.
     *
     * @param what what the text is
     * @param text the text
     * @param longest the largest number of characters
     */
    public static void checkText(String what, @Nullable String text, int longest) {
        if (text == null || text.isBlank()) {
            throw new InvalidOperationException(what + " must not be missing or blank");
        }
        if (text.length() > longest) {
            throw new InvalidOperationException(
                    what + " must have at most " + longest + " characters, but has " + text.length());
        }
        if (text.indexOf(0) >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new InvalidOperationException(
                    what + " contains U+0000 or half of a surrogate pair, which PostgreSQL cannot store");
        }
    }

    /** {@return why the operation was refused} */
    public Reason reason() {
        return reason;
    }
}
