package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.Origin;
import java.math.BigDecimal;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Attempt to place the order of an intent. The exchange knows it by its identifier. */
record OrderAttempt(
        UUID id,
        UUID orderIntentId,
        UUID signalId,
        int attemptNo,
        String identifier,
        AttemptStatus status,
        @Nullable String reason,
        String ownerId,
        String strategyKey,
        String market,
        Side side,
        BigDecimal volume,
        @Nullable BigDecimal price,
        @Nullable String traceId) {

    Order order() {
        return new Order(identifier, market, side, volume, price);
    }

    Signal signal() {
        return new Signal(ownerId, strategyKey, market, side, volume, price);
    }

    Origin origin() {
        return signal().origin();
    }
}
