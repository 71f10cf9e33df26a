package dev.outbox.sample.events;

import java.math.BigDecimal;
import java.util.UUID;

/**
 * Events about orders at the exchange: published by trading in the stream {@code everbit.trade.event}, aggregates
 * {@code order_intent} and {@code position}.
 */
public sealed interface TradeEvent {

    /** The exchange has taken an order. */
    record OrderAccepted(UUID orderIntentId, UUID attemptId, String exchangeOrderId) implements TradeEvent {}

    /** An order is not at the exchange, and will not be by this attempt. */
    record OrderRejected(UUID orderIntentId, UUID attemptId, String reason) implements TradeEvent {}

    /** An order was executed. */
    record OrderFilled(UUID orderIntentId, UUID attemptId, BigDecimal volume) implements TradeEvent {}

    /** An owner holds more or less in a market. */
    record PositionChanged(String market, BigDecimal volume) implements TradeEvent {}
}
