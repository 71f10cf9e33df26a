package dev.outbox.store;

import org.jspecify.annotations.Nullable;

/**
 * What a claim saw of its queue as a whole, in one snapshot.
 *
 * @param next no transaction with this id ({@code xid8}) or a later one had begun
 * @param running how many transactions were running of those that the question was about
 * @param firstEvent the smallest id of an event that is still to be dispatched; {@code null} if there is none
 * @param isLong whether there are such events beyond what is {@linkplain ScanReach#near() near}, and the stream is not paused
 * @param firstClaim the smallest id of a claim; {@code null} if there is none
 */
public record Sighting(
        long next,
        int running,
        @Nullable Long firstEvent,
        boolean isLong,
        @Nullable Long firstClaim) {}
