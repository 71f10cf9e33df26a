package dev.outbox.sample.eventbus;

import org.jspecify.annotations.Nullable;

/**
 * Owner, strategy and market behind a message.
 *
 * @param ownerId the owner of the account
 * @param strategyKey the strategy that caused the message, if any
 * @param market the market, if any
 */
public record Origin(
        String ownerId,
        @Nullable String strategyKey,
        @Nullable String market) {

    /** Returns the origin of an operator command, which has no strategy and no market. */
    public static final Origin OPERATOR = new Origin("OPERATOR", null, null);
}
