package dev.outbox.sample.trading;

import java.math.BigDecimal;

/**
 * Order for the exchange.
 *
 * @param identifier the client's id of the order, unique for each attempt
 * @param market the market
 * @param side the side
 * @param volume the volume
 */
public record Order(String identifier, String market, Side side, BigDecimal volume) {}
