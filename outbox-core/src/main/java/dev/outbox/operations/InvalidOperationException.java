package dev.outbox.operations;

import dev.outbox.OutboxException;

/**
 * What an operator asked for breaks a rule: nothing says who wants it or why, the selection is empty or leaves nothing out, or it names
 * a handler or stream that nobody has. Nothing has been changed.
 */
public class InvalidOperationException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message the value and the rule that it breaks
     */
    public InvalidOperationException(String message) {
        super(message, null);
    }
}
