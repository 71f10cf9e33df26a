package dev.outbox.sample.licensing;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * License of a guild: {@code active}, {@code suspended} or {@code canceled}. The free one has no subscription, and free ones do not
 * expire. Beside it, each subscription of the guild has one; {@link Licenses#effective} says which counts.
 */
record License(
        UUID id,
        @Nullable UUID subscriptionId,
        String guildId,
        @Nullable String userId,
        String planCode,
        String status,
        Instant grantedAt,
        @Nullable Instant expiresAt) {

    static final String FREE = "free";

    boolean isFree() {
        return planCode.equals(FREE);
    }
}
