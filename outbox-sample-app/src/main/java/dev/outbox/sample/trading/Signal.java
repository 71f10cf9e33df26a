package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.Origin;
import dev.outbox.sample.web.Name;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Signal of a strategy to buy or sell, at the market price if it names no other. */
record Signal(
        @Name String ownerId,
        @Name String strategyKey,
        @Name String market,
        @NotNull Side side,
        @NotNull @Positive BigDecimal volume,
        @Nullable @Positive BigDecimal price) {

    Signal(String ownerId, String strategyKey, String market, Side side, BigDecimal volume) {
        this(ownerId, strategyKey, market, side, volume, null);
    }

    Origin origin() {
        return new Origin(ownerId, strategyKey, market);
    }
}
