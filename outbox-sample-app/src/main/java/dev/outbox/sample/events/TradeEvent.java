package dev.outbox.sample.events;

import java.math.BigDecimal;
import java.util.UUID;

/**
 * Events about orders at the exchange: published by trading in the stream {@code everbit.trade.event}, aggregates
 * {@code order_intent} and {@code position}.
 */
public sealed interface TradeEvent {

    /** A change of an order intent. */
    sealed interface OrderIntentEvent extends TradeEvent {}

    /** The exchange has accepted an order. After an {@link OrderRejected} of the same attempt, it corrects that event. */
    record OrderAccepted(UUID orderIntentId, UUID attemptId, int attemptNo, String exchangeOrderId)
            implements OrderIntentEvent {}

    /** An order is not at the exchange, and will not be by this attempt. */
    record OrderRejected(UUID orderIntentId, UUID attemptId, int attemptNo, String reason)
            implements OrderIntentEvent {}

    /** The exchange was too busy for an attempt. Another one follows, or {@link OrderAttemptsExhausted}. */
    record OrderThrottled(UUID orderIntentId, UUID attemptId, int attemptNo) implements TradeEvent {}

    /** The exchange was too busy for each permitted attempt, so the order is not placed. */
    record OrderAttemptsExhausted(UUID orderIntentId, int attempts) implements OrderIntentEvent {}

    /** The command to place an order is dead. Nothing was sent, and an operator must decide. */
    record OrderHalted(UUID orderIntentId, UUID attemptId, String reason) implements OrderIntentEvent {}

    /** The exchange executed {@code volume}, a part of an order; so far, it has executed {@code filledVolume}. */
    record OrderPartiallyFilled(
            UUID orderIntentId, UUID attemptId, String fillId, BigDecimal volume, BigDecimal filledVolume)
            implements OrderIntentEvent {}

    /** The exchange executed {@code volume}, the last part of an order or the whole. */
    record OrderFilled(UUID orderIntentId, UUID attemptId, String fillId, BigDecimal volume, BigDecimal filledVolume)
            implements OrderIntentEvent {}

    /** The exchange reported a fill that exceeds the volume of the order. It is not booked, and an operator must check it. */
    record FillRefused(UUID orderIntentId, UUID attemptId, String fillId, BigDecimal volume, String reason)
            implements OrderIntentEvent {}

    /** An owner holds more or less in a market. */
    record PositionChanged(String market, BigDecimal volume) implements TradeEvent {}
}
