package dev.outbox.sample.billing;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.BillingEvent;
import dev.outbox.sample.events.BillingEvent.PaymentFailed;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.Headers;
import java.time.Instant;
import java.util.Objects;
import org.springframework.stereotype.Component;

/** Publishes events about subscriptions, with the guild, the payer and the billing key in headers. */
@Component
final class SubscriptionEvents {

    private static final String SUBSCRIPTION = "subscription";

    /** Key of the scheduled retry, of which a subscription has at most one. */
    private static final String PAYMENT_RETRY = "payment-retry";

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

    /** Publishes a renewal with the plan of the new period, and the old plan if this renewal lowered it. Withdraws a scheduled retry. */
    void publishPaid(Subscription renewed, Charge charge, String oldPlan) {
        PaymentSucceeded paid = new PaymentSucceeded(renewed.id(), charge.id(), periodEnd(renewed));
        OutboxEvent event = eventOf(renewed, paid).withHeader(Headers.PLAN_CODE, renewed.planCode());
        outbox.publish(renewed.planCode().equals(oldPlan) ? event : event.withHeader(Headers.DOWNGRADED_FROM, oldPlan));
        withdrawRetry(renewed);
    }

    /** Publishes a payment that failed, and schedules the retry in place of an earlier one, unless the subscription ends instead. */
    void publishFailed(Subscription failed, Charge charge) {
        OutboxEvent event = eventOf(failed, new PaymentFailed(failed.id(), charge.id(), failed.retryCount()));
        if (failed.cancelAtPeriodEnd()) {
            outbox.publish(event);
            return;
        }
        outbox.publish(
                event.withHeader(Headers.NEXT_ATTEMPT_AT, failed.nextChargeAt().toString()));
        outbox.publish(eventOf(failed, new PaymentRetryDue(failed.id(), failed.retryCount()))
                .deliverAt(failed.nextChargeAt())
                .withKey(PAYMENT_RETRY));
    }

    /** Publishes the last failure, and withdraws a scheduled retry. */
    void publishFailedFinal(Subscription canceled) {
        publish(canceled, new PaymentFailedFinal(canceled.id()));
        withdrawRetry(canceled);
    }

    private void withdrawRetry(Subscription subscription) {
        outbox.cancel(SUBSCRIPTION, subscription.id().toString(), PAYMENT_RETRY);
    }

    private static OutboxEvent eventOf(Subscription subscription, Object event) {
        return OutboxEvent.of(SUBSCRIPTION, subscription.id().toString(), event)
                .withHeader(Headers.GUILD_ID, subscription.guildId())
                .withHeader(Headers.USER_ID, subscription.userId())
                .withHeader(Headers.BILLING_KEY_ID, subscription.billingKeyId().toString());
    }

    private static Instant periodEnd(Subscription paid) {
        return Objects.requireNonNull(paid.periodEnd());
    }
}
