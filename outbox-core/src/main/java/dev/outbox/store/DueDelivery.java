package dev.outbox.store;

import dev.outbox.EventEnvelope;

/**
 * A delivery that this process may attempt now.
 *
 * @param envelope the event
 * @param handlerId the handler
 * @param attempt the number of this attempt, counting from 1; the token that fences its outcome
 * @param failures how many attempts have failed before
 */
public record DueDelivery(EventEnvelope envelope, String handlerId, int attempt, int failures) {}
