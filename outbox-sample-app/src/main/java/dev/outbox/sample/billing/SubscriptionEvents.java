package dev.outbox.sample.billing;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.BillingEvent;
import dev.outbox.sample.events.Headers;
import org.springframework.stereotype.Component;

/** Publishes events about subscriptions, with the guild and the billing key in headers. */
@Component
final class SubscriptionEvents {

    private final OutboxPublisher outbox;

    SubscriptionEvents(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    /** Publishes in the transaction of the caller. */
    void publish(Subscription subscription, BillingEvent event) {
        outbox.publish(OutboxEvent.of("subscription", subscription.id().toString(), event)
                .withHeader(Headers.GUILD_ID, subscription.guildId())
                .withHeader(Headers.BILLING_KEY_ID, subscription.billingKeyId().toString()));
    }
}
