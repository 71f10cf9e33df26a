package dev.outbox.sample.trading;

import java.math.BigDecimal;

/** What a strategy wants. */
record Signal(String ownerId, String strategyKey, String market, Side side, BigDecimal volume) {}
