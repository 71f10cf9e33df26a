package dev.outbox.sample.eventbus;

import org.jspecify.annotations.Nullable;

/**
 * On whose behalf a message travels.
 *
 * @param ownerId whose money it is about
 * @param strategyKey the strategy that wants it, if one does
 * @param market the market that it is about, if it is about one
 */
public record Origin(
        String ownerId,
        @Nullable String strategyKey,
        @Nullable String market) {

    /** What operators do is about no strategy and no market. */
    public static final Origin OPERATOR = new Origin("OPERATOR", null, null);
}
