package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BillingEvent.PaymentFailed;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PlanDowngraded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionCanceled;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.Headers;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.springframework.stereotype.Component;

/** Notifies payers of changes to their subscriptions. */
@Component
class BillingNotifications {

    private final Notifications notifications;

    BillingNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    @OutboxHandler(id = "notification.subscription-started")
    void subscriptionStarted(SubscriptionStarted event, EventEnvelope envelope) {
        notifications.send(envelope, event.planCode() + " activated");
    }

    @OutboxHandler(id = "notification.payment-failed")
    void paymentFailed(PaymentFailed event, EventEnvelope envelope) {
        String nextAttempt = envelope.headers().get(Headers.NEXT_ATTEMPT_AT);
        notifications.send(
                envelope,
                "payment failed, "
                        + (nextAttempt == null
                                ? "and the subscription ends"
                                : "next attempt on "
                                        + Instant.parse(nextAttempt).truncatedTo(ChronoUnit.SECONDS)));
    }

    @OutboxHandler(id = "notification.payment-failed-final")
    void paymentFailedFinal(PaymentFailedFinal event, EventEnvelope envelope) {
        notifications.send(envelope, "subscription canceled, because it was not paid");
    }

    @OutboxHandler(id = "notification.subscription-canceled")
    void subscriptionCanceled(SubscriptionCanceled event, EventEnvelope envelope) {
        notifications.send(
                envelope,
                event.cancelAtPeriodEnd()
                        ? "subscription canceled, for the end of its period"
                        : "subscription canceled");
    }

    @OutboxHandler(id = "notification.plan-upgraded")
    void planUpgraded(PlanUpgraded event, EventEnvelope envelope) {
        notifications.send(envelope, "upgraded from %s to %s".formatted(event.oldPlan(), event.newPlan()));
    }

    @OutboxHandler(id = "notification.plan-downgraded")
    void planDowngraded(PlanDowngraded event, EventEnvelope envelope) {
        LocalDate day = LocalDate.ofInstant(event.effectiveAt(), ZoneOffset.UTC);
        notifications.send(
                envelope, "to be downgraded from %s to %s on %s".formatted(event.oldPlan(), event.newPlan(), day));
    }
}
