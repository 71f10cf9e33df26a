package dev.outbox.operations;

import dev.outbox.OutboxException;

/**
 * A {@link DeliverySelection} took the database longer than 5 s, because no index serves its filters. What a retry or skip had committed
 * before stays; nothing else has been changed.
 */
public final class SelectionTooBroadException extends OutboxException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the error.
     *
     * @param message the filters, and which ones to add
     * @param cause what the database answered
     */
    public SelectionTooBroadException(String message, Throwable cause) {
        super(message, cause);
    }
}
