package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeActioned;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import dev.outbox.sample.events.RecoveryEvent.RestoreCompleted;
import dev.outbox.sample.events.RecoveryEvent.RestoreFailed;
import dev.outbox.sample.events.RecoveryEvent.RestoreStarted;
import org.springframework.stereotype.Component;

/** Notifies the owners of guilds of attacks and restores. */
@Component
class RecoveryNotifications {

    private final Notifications notifications;

    RecoveryNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    @OutboxHandler(id = "notification.restore-started")
    void restoreStarted(RestoreStarted event, EventEnvelope envelope) {
        notifications.send(envelope, "restore of snapshot %s started".formatted(event.snapshotId()));
    }

    @OutboxHandler(id = "notification.restore-completed")
    void restoreCompleted(RestoreCompleted event, EventEnvelope envelope) {
        notifications.send(envelope, "restore completed: " + event.resultSummary());
    }

    @OutboxHandler(id = "notification.restore-failed")
    void restoreFailed(RestoreFailed event, EventEnvelope envelope) {
        notifications.send(envelope, "restore failed: " + event.errorSummary());
    }

    @OutboxHandler(id = "notification.anti-nuke-triggered")
    void antiNukeTriggered(AntiNukeTriggered event, EventEnvelope envelope) {
        notifications.send(
                envelope, "URGENT: %s by %s".formatted(event.detectedPattern(), String.join(", ", event.suspects())));
    }

    @OutboxHandler(id = "notification.anti-nuke-actioned")
    void antiNukeActioned(AntiNukeActioned event, EventEnvelope envelope) {
        notifications.send(envelope, "answer to the attack: " + String.join(", ", event.actionsTaken()));
    }
}
