package dev.outbox.sample.trading;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Order for the exchange.
 *
 * @param identifier the client's id of the order, unique for each attempt
 * @param market the market
 * @param side the side
 * @param volume the volume
 * @param price the limit, or {@code null} for the market price
 */
public record Order(
        String identifier,
        String market,
        Side side,
        BigDecimal volume,
        @Nullable BigDecimal price) {}
