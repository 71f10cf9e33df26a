package dev.outbox.internal.claim;

import dev.outbox.internal.registry.RegistryVersion;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Result of a claim transaction. No lane that is due was due before {@code dueFrom}. */
public record ClaimRound(
        @Nullable Claim claim,
        RegistryVersion registry,
        boolean skippedLocked,
        List<ExpiredClaim> expired,
        Optional<Duration> untilNextDelivery,
        OffsetDateTime dueFrom,
        boolean isLong,
        boolean isCut) {

    /** Expired claim. */
    public record ExpiredClaim(String worker, int events) {}
}
