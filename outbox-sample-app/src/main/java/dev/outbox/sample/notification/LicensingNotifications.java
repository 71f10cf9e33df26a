package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.LicensingEvent.LicenseDowngraded;
import dev.outbox.sample.events.LicensingEvent.LicenseSuspended;
import org.springframework.stereotype.Component;

/** Notifies payers and owners of licenses that have ended. */
@Component
class LicensingNotifications {

    private final Notifications notifications;

    LicensingNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    @OutboxHandler(id = "notification.license-downgraded")
    void licenseDowngraded(LicenseDowngraded event, EventEnvelope envelope) {
        notifications.send(envelope, "license downgraded from %s to %s".formatted(event.oldPlan(), event.newPlan()));
    }

    @OutboxHandler(id = "notification.license-suspended")
    void licenseSuspended(LicenseSuspended event, EventEnvelope envelope) {
        notifications.send(envelope, "license suspended: " + event.reason());
    }
}
