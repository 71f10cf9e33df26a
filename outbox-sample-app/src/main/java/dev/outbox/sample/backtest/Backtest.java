package dev.outbox.sample.backtest;

import java.math.BigDecimal;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Test of a strategy: {@code queued}, then {@code completed} or {@code failed}. A retry may complete a failed one. */
record Backtest(
        UUID id,
        String ownerId,
        String strategyKey,
        String market,
        int candles,
        String status,
        @Nullable Integer trades,
        @Nullable BigDecimal profit,
        @Nullable String reason) {}
