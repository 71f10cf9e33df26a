package dev.outbox.sample.licensing;

import dev.outbox.EventEnvelope;
import dev.outbox.OnDead;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BillingEvent.BillingKeyDeleted;
import dev.outbox.sample.events.BillingEvent.EntitlementEvent;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.BillingEvent.SubscriptionSuspended;
import dev.outbox.sample.events.GuildEvent.BotInstalled;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import dev.outbox.sample.events.GuildEvent.GuildDeleted;
import dev.outbox.sample.events.GuildEvent.PresenceEvent;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Handles the events that affect licenses. One handler takes all event types of an aggregate type, because order holds per handler: a
 * payment waits for the start of its subscription, during retries and behind a dead letter. It passes a start that an operator skips, or
 * whose delivery died because the handler's registration expired or PostgreSQL refused the outcome.
 */
@Component
class LicensingSubscriber {

    private final Licenses licenses;
    private final LicenseEndings endings;

    LicensingSubscriber(Licenses licenses, LicenseEndings endings) {
        this.licenses = licenses;
        this.endings = endings;
    }

    /**
     * Deduplicates, because repeating an installation after a later kick would have an effect. Blocks behind a dead letter, because a kick
     * that is retried after a later installation would suspend nothing.
     */
    @OutboxHandler(id = "licensing.guild", deduplicate = true, onDead = OnDead.BLOCK)
    void guild(PresenceEvent event, EventEnvelope envelope) {
        if (event instanceof BotInstalled) {
            licenses.grantFree(event.guildId(), envelope.occurredAt());
        } else if (event instanceof BotKicked) {
            endings.suspendOfGuild(event.guildId(), envelope.occurredAt());
        } else if (event instanceof GuildDeleted) {
            endings.cancelOfGuild(event.guildId());
        } else {
            throw unexpected(event);
        }
    }

    @Transactional
    @OutboxHandler(id = "licensing.subscription", onDead = OnDead.BLOCK)
    void subscription(EntitlementEvent event, EventEnvelope envelope) {
        if (event instanceof SubscriptionStarted started) {
            licenses.grant(started, envelope);
        } else if (event instanceof PaymentSucceeded paid) {
            licenses.extend(paid, envelope);
        } else if (event instanceof PaymentFailedFinal failed) {
            licenses.downgrade(failed, envelope);
        } else if (event instanceof SubscriptionSuspended suspended) {
            endings.end(suspended, envelope);
        } else if (event instanceof PlanUpgraded upgraded) {
            licenses.upgrade(upgraded, envelope);
        } else {
            throw unexpected(event);
        }
    }

    @Transactional
    @OutboxHandler(id = "licensing.billing-key")
    void billingKeyDeleted(BillingKeyDeleted event) {
        endings.suspendOfKey(event.billingKeyId(), "billing_key_deleted");
    }

    private static IllegalStateException unexpected(Object event) {
        return new IllegalStateException("licenses do not follow " + event);
    }
}
