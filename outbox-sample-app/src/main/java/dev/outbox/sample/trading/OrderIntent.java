package dev.outbox.sample.trading;

import java.math.BigDecimal;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Order that an owner wants, because of a signal. */
record OrderIntent(
        UUID id,
        String ownerId,
        String strategyKey,
        String market,
        Side side,
        BigDecimal volume,
        @Nullable BigDecimal price,
        BigDecimal filledVolume,
        IntentStatus status,
        @Nullable String reason) {}
