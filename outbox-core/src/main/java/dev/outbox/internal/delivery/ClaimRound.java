package dev.outbox.internal.delivery;

import dev.outbox.internal.store.ScanReach;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one claim transaction found.
 *
 * @param claim the claimed batch, if any
 * @param registry the version of the handler registry that the claim is valid for
 * @param heldAggregates hashes of aggregates that were passed over because somebody else holds a row of theirs locked
 * @param expired the claims that had expired and were dropped
 * @param untilNextDelivery the time until a delivery of the stream is due to a handler of this process, zero or
 *     negative if one is; empty if none waits
 * @param isLong whether events wait beyond what is {@linkplain ScanReach#near() near}, and the stream is not paused
 * @param isCut whether the claim has fewer events than it could, because their payloads are large
 */
public record ClaimRound(
        @Nullable Claim claim,
        RegistryVersion registry,
        Set<Long> heldAggregates,
        List<ExpiredClaim> expired,
        Optional<Duration> untilNextDelivery,
        boolean isLong,
        boolean isCut) {

    /**
     * A claim whose worker did not come back.
     *
     * @param worker the worker
     * @param events how many of its events were unsettled and are free again
     */
    public record ExpiredClaim(String worker, int events) {}
}
