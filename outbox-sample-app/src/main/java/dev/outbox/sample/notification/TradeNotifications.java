package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BacktestEvent.BacktestCompleted;
import dev.outbox.sample.events.BacktestEvent.BacktestFailed;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.TradeEvent.OrderAccepted;
import org.springframework.stereotype.Component;

/** Notifies owners of their orders and backtests, on a best-effort basis: a lost message costs no money. */
@Component
class TradeNotifications {

    private final Notifications notifications;

    TradeNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    @OutboxHandler(id = "notification-worker")
    void orderAccepted(OrderAccepted event, EventEnvelope envelope) {
        notifications.send(
                envelope,
                Headers.OWNER_ID,
                "order accepted in " + envelope.headers().get(Headers.MARKET));
    }

    @OutboxHandler(id = "notification.backtest-completed")
    void backtestCompleted(BacktestCompleted event, EventEnvelope envelope) {
        notifications.send(
                envelope,
                Headers.OWNER_ID,
                "backtest completed: %s after %d trades".formatted(event.profit(), event.trades()));
    }

    @OutboxHandler(id = "notification.backtest-failed")
    void backtestFailed(BacktestFailed event, EventEnvelope envelope) {
        notifications.send(envelope, Headers.OWNER_ID, "backtest failed: " + event.reason());
    }
}
