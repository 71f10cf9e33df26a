package dev.outbox.sample.trading;

import dev.outbox.sample.events.TradeEvent;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import dev.outbox.sample.events.TradeEvent.OrderAttemptsExhausted;
import dev.outbox.sample.events.TradeEvent.OrderFilled;
import dev.outbox.sample.events.TradeEvent.OrderHalted;
import dev.outbox.sample.events.TradeEvent.OrderPartiallyFilled;
import dev.outbox.sample.events.TradeEvent.OrderRejected;
import dev.outbox.sample.events.TradeEvent.OrderThrottled;
import java.math.BigDecimal;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** Orders whose signals this service has taken and that another service executes. Ignores events of other orders. */
@Service
public class RemoteOrders {

    private final OrderAttempts attempts;
    private final OrderIntents intents;

    RemoteOrders(OrderAttempts attempts, OrderIntents intents) {
        this.attempts = attempts;
        this.intents = intents;
    }

    /** Follows an event in the caller's transaction. The caller passes each event once, and those of an order in sequence. */
    public void follow(TradeEvent event) {
        if (event instanceof OrderThrottled throttled) {
            attempts.follow(
                    throttled.attemptId(),
                    throttled.orderIntentId(),
                    throttled.attemptNo(),
                    AttemptStatus.THROTTLED,
                    null);
        } else if (event instanceof OrderAccepted accepted) {
            attempts.follow(
                    accepted.attemptId(),
                    accepted.orderIntentId(),
                    accepted.attemptNo(),
                    AttemptStatus.ACKED,
                    accepted.exchangeOrderId());
            intents.move(accepted.orderIntentId(), IntentStatus.ACCEPTED, null);
        } else if (event instanceof OrderRejected rejected) {
            attempts.follow(
                    rejected.attemptId(),
                    rejected.orderIntentId(),
                    rejected.attemptNo(),
                    AttemptStatus.REJECTED,
                    rejected.reason());
            end(rejected.orderIntentId(), IntentStatus.REJECTED, rejected.reason());
        } else if (event instanceof OrderAttemptsExhausted exhausted) {
            end(exhausted.orderIntentId(), IntentStatus.EXHAUSTED, Conclusions.tooBusyFor(exhausted.attempts()));
        } else if (event instanceof OrderHalted halted) {
            end(halted.orderIntentId(), IntentStatus.HALTED, halted.reason());
        } else if (event instanceof OrderPartiallyFilled fill) {
            fill(fill.orderIntentId(), fill.volume());
        } else if (event instanceof OrderFilled fill) {
            fill(fill.orderIntentId(), fill.volume());
        }
    }

    /** Ends an intent. A retry may have reopened it before, about which there is no event. */
    private void end(UUID intentId, IntentStatus status, String reason) {
        intents.move(intentId, IntentStatus.OPEN, null);
        intents.move(intentId, status, reason);
    }

    private void fill(UUID intentId, BigDecimal volume) {
        if (intents.find(intentId).isPresent()) {
            intents.fill(intentId, volume);
        }
    }
}
