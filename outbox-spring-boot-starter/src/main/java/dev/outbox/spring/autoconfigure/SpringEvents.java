package dev.outbox.spring.autoconfigure;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Spring events that the outbox stores.
 *
 * @param enabled Whether Spring events of classes marked @Outboxed go to the outbox.
 * @param withoutTransaction What happens to such an event without a transaction of the outbox's DataSource: "fail" throws an
 *     InvalidTransactionException, "warn" logs a warning and does not store the event.
 */
public record SpringEvents(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("fail") WithoutTransaction withoutTransaction) {

    /** What happens to an event without a transaction. */
    public enum WithoutTransaction {

        /** Throws an exception. */
        FAIL,

        /** Logs a warning and does not store the event. */
        WARN
    }
}
