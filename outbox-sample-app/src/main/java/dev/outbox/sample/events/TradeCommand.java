package dev.outbox.sample.events;

import java.util.UUID;

/** Commands to trading, in the stream {@code everbit.trade.command}, aggregate {@code order_attempt}. */
public sealed interface TradeCommand {

    /** Place an order at the exchange, under this identifier. */
    record CreateOrderAttempt(UUID attemptId, UUID orderIntentId, int attemptNo, String identifier)
            implements TradeCommand {}
}
