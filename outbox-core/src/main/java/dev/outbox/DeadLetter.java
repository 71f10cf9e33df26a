package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * Delivery of one event to one handler that is dead: the outbox does not attempt it again until an operator retries it. See
 * {@link OutboxDeadLetter}.
 *
 * @param event the event; its payload may be the reason, and unreadable; {@code {}} instead of one that did not fit into the heap, or whose
 *     row is damaged
 * @param handlerId the handler, under the id that is stored with the delivery: the current one or an alias
 * @param errorCode the reason, such as {@code HANDLER_TIMEOUT}, or the simple name of the last attempt's exception
 * @param errorMessage the message of the last attempt's exception, with secrets removed; {@code null} if it has none
 * @param failures the number of attempts that failed
 */
public record DeadLetter(
        EventEnvelope event,
        String handlerId,
        String errorCode,
        @Nullable String errorMessage,
        int failures) {}
