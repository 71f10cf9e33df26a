package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * An event breaks a rule. Nothing was stored, and the transaction remains usable.
 *
 * <ul>
 *   <li>An id is missing or too long, or PostgreSQL cannot store a text of the event.
 *   <li>The event type breaks the rule of {@link EventTypeName} or belongs to another payload class.
 *   <li>The payload cannot be written as JSON, refers to itself, or holds an object without readable properties, a JPA entity, or a type or
 *       an annotation that only Jackson 2 knows.
 *   <li>The payload, as UTF-8 encoded JSON, is larger than {@code outbox.publisher.max-payload-size}.
 *   <li>An {@link EventHeadersContributor} failed, or added a header without a value or with a reserved name.
 *   <li>The event has a sequence of the application, and earlier events of its aggregate type have none, or the reverse.
 *   <li>The payload is {@link Outboxed}, and the event names other values than the annotation.
 *   <li>No handler is registered for the event type, and {@code outbox.publisher.unrouted} is {@code fail}.
 * </ul>
 */
public final class InvalidEventException extends PublishException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception. Not for applications. */
    public InvalidEventException(String message) {
        super(message, null);
    }

    /** Creates an exception. Not for applications. */
    public InvalidEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
