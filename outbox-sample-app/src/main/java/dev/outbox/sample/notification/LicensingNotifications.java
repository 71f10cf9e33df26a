package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.LicensingEvent.LicenseDowngraded;
import dev.outbox.sample.events.LicensingEvent.LicenseSuspended;
import org.springframework.stereotype.Component;

/** Notifies guilds of licenses that have ended. */
@Component
class LicensingNotifications {

    private final Notifications notifications;

    LicensingNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    @OutboxHandler(id = "notification.license-downgraded")
    void licenseDowngraded(LicenseDowngraded event, EventEnvelope envelope) {
        notifications.send(
                envelope,
                Headers.GUILD_ID,
                "license downgraded from %s to %s".formatted(event.oldPlan(), event.newPlan()));
    }

    @OutboxHandler(id = "notification.license-suspended")
    void licenseSuspended(LicenseSuspended event, EventEnvelope envelope) {
        notifications.send(envelope, Headers.GUILD_ID, "license suspended: " + event.reason());
    }
}
