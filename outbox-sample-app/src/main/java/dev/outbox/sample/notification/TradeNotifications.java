package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BacktestEvent.BacktestCompleted;
import dev.outbox.sample.events.BacktestEvent.BacktestFailed;
import dev.outbox.sample.events.Headers;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

/** Notifies owners of their orders and backtests, on a best-effort basis: a lost message costs no money. */
@Component
class TradeNotifications {

    private final Notifications notifications;

    TradeNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    /** Takes all events of an order, so that the owner gets the messages in the order of the events. */
    @OutboxHandler(
            id = "notification-worker",
            eventTypes = {
                "OrderAccepted",
                "OrderRejected",
                "OrderAttemptsExhausted",
                "OrderHalted",
                "OrderPartiallyFilled",
                "OrderFilled",
                "FillRefused"
            })
    void order(JsonNode payload, EventEnvelope event) {
        String market = event.headers().get(Headers.MARKET);
        String message = switch (event.eventType()) {
            case "OrderAccepted" -> "order accepted in " + market;
            case "OrderRejected" -> "order rejected in %s: %s".formatted(market, text(payload, "reason"));
            case "OrderAttemptsExhausted" ->
                "order not placed in %s: the exchange was too busy for %s attempts"
                        .formatted(market, text(payload, "attempts"));
            case "OrderHalted" ->
                "order halted in %s until an operator decides: %s".formatted(market, text(payload, "reason"));
            case "OrderPartiallyFilled" ->
                "order partially filled in %s: %s, %s in total"
                        .formatted(market, text(payload, "volume"), text(payload, "filledVolume"));
            case "OrderFilled" -> "order filled in %s: %s".formatted(market, text(payload, "filledVolume"));
            case "FillRefused" ->
                "fill refused in %s until an operator decides: %s".formatted(market, text(payload, "reason"));
            default -> throw new NonRetryableException("unexpected event type " + event.eventType());
        };
        notifications.send(event, message);
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

    private static String text(JsonNode payload, String field) {
        return payload.path(field).asString();
    }
}
