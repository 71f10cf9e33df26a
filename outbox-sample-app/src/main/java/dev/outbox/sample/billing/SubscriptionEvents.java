package dev.outbox.sample.billing;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.BillingEvent;
import dev.outbox.sample.events.BillingEvent.PaymentFailed;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.Headers;
import java.time.Instant;
import java.util.Objects;
import org.springframework.stereotype.Component;

/** Publishes events about subscriptions, with the guild, the payer and the billing key in headers. */
@Component
final class SubscriptionEvents {

    private final OutboxPublisher outbox;

    SubscriptionEvents(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    /** Publishes in the transaction of the caller. */
    void publish(Subscription subscription, BillingEvent event) {
        outbox.publish(eventOf(subscription, event));
    }

    /** Publishes the start of a subscription with the end of its first period. */
    void publishStarted(Subscription subscription) {
        SubscriptionStarted started =
                new SubscriptionStarted(subscription.id(), subscription.guildId(), subscription.planCode());
        outbox.publish(eventOf(subscription, started)
                .withHeader(Headers.PERIOD_END, periodEnd(subscription).toString()));
    }

    /** Publishes a renewal with the plan of the new period, and the old plan if this renewal lowered it. */
    void publishPaid(Subscription renewed, Charge charge, String oldPlan) {
        PaymentSucceeded paid = new PaymentSucceeded(renewed.id(), charge.id(), periodEnd(renewed));
        OutboxEvent event = eventOf(renewed, paid).withHeader(Headers.PLAN_CODE, renewed.planCode());
        outbox.publish(renewed.planCode().equals(oldPlan) ? event : event.withHeader(Headers.DOWNGRADED_FROM, oldPlan));
    }

    /** Publishes a payment that failed with the time of the next attempt, unless the subscription ends instead. */
    void publishFailed(Subscription failed, Charge charge) {
        OutboxEvent event = eventOf(failed, new PaymentFailed(failed.id(), charge.id(), failed.retryCount()));
        outbox.publish(
                failed.cancelAtPeriodEnd()
                        ? event
                        : event.withHeader(
                                Headers.NEXT_ATTEMPT_AT, failed.nextChargeAt().toString()));
    }

    private static OutboxEvent eventOf(Subscription subscription, BillingEvent event) {
        return OutboxEvent.of("subscription", subscription.id().toString(), event)
                .withHeader(Headers.GUILD_ID, subscription.guildId())
                .withHeader(Headers.USER_ID, subscription.userId())
                .withHeader(Headers.BILLING_KEY_ID, subscription.billingKeyId().toString());
    }

    private static Instant periodEnd(Subscription paid) {
        return Objects.requireNonNull(paid.periodEnd());
    }
}
