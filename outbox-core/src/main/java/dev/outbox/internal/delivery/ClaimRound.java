package dev.outbox.internal.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one claim transaction found. */
public record ClaimRound(
        @Nullable Claim claim,
        RegistryVersion registry,
        Set<Long> heldAggregates,
        List<ExpiredClaim> expired,
        Optional<Duration> untilNextDelivery,
        boolean isLong,
        boolean isCut) {

    /** A claim whose worker did not come back. */
    public record ExpiredClaim(String worker, int events) {}
}
