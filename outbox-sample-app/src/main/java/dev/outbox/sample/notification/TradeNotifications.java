package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BacktestEvent.BacktestCompleted;
import dev.outbox.sample.events.BacktestEvent.BacktestFailed;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.TradeEvent.FillRefused;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import dev.outbox.sample.events.TradeEvent.OrderAttemptsExhausted;
import dev.outbox.sample.events.TradeEvent.OrderFilled;
import dev.outbox.sample.events.TradeEvent.OrderHalted;
import dev.outbox.sample.events.TradeEvent.OrderIntentEvent;
import dev.outbox.sample.events.TradeEvent.OrderPartiallyFilled;
import dev.outbox.sample.events.TradeEvent.OrderRejected;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Notifies owners of their orders and backtests, on a best-effort basis: a lost message costs no money. */
@Component
class TradeNotifications {

    private final Notifications notifications;

    TradeNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    /** Takes all events of an order, so that the owner gets the messages in the order of the events. */
    @OutboxHandler(id = "notification-worker")
    void order(OrderIntentEvent event, EventEnvelope envelope) {
        notifications.send(envelope, message(event, envelope.headers().get(Headers.MARKET)));
    }

    @OutboxHandler(id = "notification.backtest-completed")
    void backtestCompleted(BacktestCompleted event, EventEnvelope envelope) {
        notifications.send(
                envelope, "backtest completed: %s after %d trades".formatted(event.profit(), event.trades()));
    }

    @OutboxHandler(id = "notification.backtest-failed")
    void backtestFailed(BacktestFailed event, EventEnvelope envelope) {
        notifications.send(envelope, "backtest failed: " + event.reason());
    }

    private static String message(OrderIntentEvent event, @Nullable String market) {
        if (event instanceof OrderAccepted) {
            return "order accepted in " + market;
        }
        if (event instanceof OrderRejected rejected) {
            return "order rejected in %s: %s".formatted(market, rejected.reason());
        }
        if (event instanceof OrderAttemptsExhausted exhausted) {
            return "order not placed in %s: the exchange was too busy for %s attempts"
                    .formatted(market, exhausted.attempts());
        }
        if (event instanceof OrderHalted halted) {
            return "order halted in %s until an operator decides: %s".formatted(market, halted.reason());
        }
        if (event instanceof OrderPartiallyFilled part) {
            return "order partially filled in %s: %s, %s in total"
                    .formatted(market, part.volume(), part.filledVolume());
        }
        if (event instanceof OrderFilled filled) {
            return "order filled in %s: %s".formatted(market, filled.filledVolume());
        }
        if (event instanceof FillRefused refused) {
            return "fill refused in %s until an operator decides: %s".formatted(market, refused.reason());
        }
        throw new IllegalStateException("there is no message for " + event);
    }
}
