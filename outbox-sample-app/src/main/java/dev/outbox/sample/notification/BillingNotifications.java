package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BillingEvent.PaymentFailed;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PlanDowngraded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionCanceled;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.springframework.stereotype.Component;

/** Tells guilds what has become of their subscriptions. */
@Component
final class BillingNotifications {

    private final GuildNotifications guilds;

    BillingNotifications(GuildNotifications guilds) {
        this.guilds = guilds;
    }

    @OutboxHandler(id = "notification.subscription-started")
    void subscriptionStarted(SubscriptionStarted event, EventEnvelope envelope) {
        guilds.send(envelope, event.planCode() + " activated");
    }

    @OutboxHandler(id = "notification.payment-failed")
    void paymentFailed(PaymentFailed event, EventEnvelope envelope) {
        guilds.send(envelope, "payment failed %d times in a row, to be tried again".formatted(event.retryCount()));
    }

    @OutboxHandler(id = "notification.payment-failed-final")
    void paymentFailedFinal(PaymentFailedFinal event, EventEnvelope envelope) {
        guilds.send(envelope, "subscription canceled, because it was not paid");
    }

    @OutboxHandler(id = "notification.subscription-canceled")
    void subscriptionCanceled(SubscriptionCanceled event, EventEnvelope envelope) {
        guilds.send(
                envelope,
                event.cancelAtPeriodEnd()
                        ? "subscription canceled, for the end of its period"
                        : "subscription canceled");
    }

    @OutboxHandler(id = "notification.plan-upgraded")
    void planUpgraded(PlanUpgraded event, EventEnvelope envelope) {
        guilds.send(envelope, "upgraded from %s to %s".formatted(event.oldPlan(), event.newPlan()));
    }

    @OutboxHandler(id = "notification.plan-downgraded")
    void planDowngraded(PlanDowngraded event, EventEnvelope envelope) {
        LocalDate day = LocalDate.ofInstant(event.effectiveAt(), ZoneOffset.UTC);
        guilds.send(envelope, "to be downgraded from %s to %s on %s".formatted(event.oldPlan(), event.newPlan(), day));
    }
}
