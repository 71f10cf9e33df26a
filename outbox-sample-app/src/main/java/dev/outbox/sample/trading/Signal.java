package dev.outbox.sample.trading;

import java.math.BigDecimal;

/** Signal of a strategy to buy or sell. */
record Signal(String ownerId, String strategyKey, String market, Side side, BigDecimal volume) {}
