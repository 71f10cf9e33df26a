package dev.outbox.sample.notification;

import static java.util.Objects.requireNonNullElse;

import dev.outbox.DeadLetter;
import dev.outbox.OutboxDeadLetter;
import org.springframework.stereotype.Component;

/** Records the messages that were given up. If an operator retries the delivery, the message is requested again. */
@Component
final class DeadNotifications {

    private final NotificationLog messages;

    DeadNotifications(NotificationLog messages) {
        this.messages = messages;
    }

    @OutboxDeadLetter({
        "notification.subscription-started",
        "notification.payment-failed",
        "notification.payment-failed-final",
        "notification.subscription-canceled",
        "notification.plan-upgraded",
        "notification.plan-downgraded",
        "notification.license-downgraded",
        "notification.license-suspended",
        "notification.restore-started",
        "notification.restore-completed",
        "notification.restore-failed",
        "notification.anti-nuke-triggered",
        "notification.anti-nuke-actioned",
        "notification.backtest-completed",
        "notification.backtest-failed",
        "notification-worker"
    })
    void gaveUp(DeadLetter letter) {
        messages.markFailed(
                letter.event().eventId(),
                letter.errorCode() + ": " + requireNonNullElse(letter.errorMessage(), "no message"));
    }
}
