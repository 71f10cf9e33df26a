package dev.outbox.sample.events;

import java.math.BigDecimal;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Commands to trading, in the stream {@code everbit.trade.command}, aggregate {@code order_attempt}. */
public sealed interface TradeCommand {

    /** Place an order at the exchange, under this identifier; at the market price if there is no other. */
    record CreateOrderAttempt(
            UUID attemptId,
            UUID orderIntentId,
            int attemptNo,
            String identifier,
            UUID signalId,
            String ownerId,
            String strategyKey,
            String market,
            String side,
            BigDecimal volume,
            @Nullable BigDecimal price)
            implements TradeCommand {}
}
