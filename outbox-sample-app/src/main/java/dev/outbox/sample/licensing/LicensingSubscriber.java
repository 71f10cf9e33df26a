package dev.outbox.sample.licensing;

import dev.outbox.EventEnvelope;
import dev.outbox.OnDead;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxMapper;
import dev.outbox.sample.events.BillingEvent.BillingKeyDeleted;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.BillingEvent.SubscriptionSuspended;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Handles the events that affect licenses. One handler takes all event types of an aggregate type, because order holds per handler: a
 * payment waits for the start of its subscription, during retries and behind a dead letter. It passes a start that an operator skips, or
 * whose delivery died because the handler's registration expired or PostgreSQL refused the outcome.
 */
@Component
class LicensingSubscriber {

    private final Licenses licenses;
    private final LicenseEndings endings;
    private final JsonMapper json;

    LicensingSubscriber(Licenses licenses, LicenseEndings endings, @OutboxMapper JsonMapper json) {
        this.licenses = licenses;
        this.endings = endings;
        this.json = json;
    }

    /**
     * Deduplicates, because repeating an installation after a later kick would have an effect. Blocks behind a dead letter, because a kick
     * that is retried after a later installation would suspend nothing.
     */
    @OutboxHandler(
            id = "licensing.guild",
            eventTypes = {"BotInstalled", "BotKicked", "GuildDeleted"},
            deduplicate = true,
            onDead = OnDead.BLOCK)
    void guild(EventEnvelope event) {
        String guildId = event.aggregateId();
        switch (event.eventType()) {
            case "BotInstalled" -> licenses.grantFree(guildId, event.occurredAt());
            case "BotKicked" -> endings.suspendOfGuild(guildId, event.occurredAt());
            case "GuildDeleted" -> endings.cancelOfGuild(guildId);
            default -> throw unexpected(event);
        }
    }

    @Transactional
    @OutboxHandler(
            id = "licensing.subscription",
            eventTypes = {
                "SubscriptionStarted",
                "PaymentSucceeded",
                "PaymentFailedFinal",
                "SubscriptionSuspended",
                "PlanUpgraded"
            },
            onDead = OnDead.BLOCK)
    void subscription(JsonNode payload, EventEnvelope event) {
        switch (event.eventType()) {
            case "SubscriptionStarted" -> licenses.grant(json.treeToValue(payload, SubscriptionStarted.class), event);
            case "PaymentSucceeded" -> licenses.extend(json.treeToValue(payload, PaymentSucceeded.class), event);
            case "PaymentFailedFinal" -> licenses.downgrade(json.treeToValue(payload, PaymentFailedFinal.class), event);
            case "SubscriptionSuspended" -> endings.end(json.treeToValue(payload, SubscriptionSuspended.class), event);
            case "PlanUpgraded" -> licenses.upgrade(json.treeToValue(payload, PlanUpgraded.class), event);
            default -> throw unexpected(event);
        }
    }

    @Transactional
    @OutboxHandler(id = "licensing.billing-key")
    void billingKeyDeleted(BillingKeyDeleted event) {
        endings.suspendOfKey(event.billingKeyId(), "billing_key_deleted");
    }

    private static IllegalStateException unexpected(EventEnvelope event) {
        return new IllegalStateException("no subscription for " + event);
    }
}
