package dev.outbox.sample.billing;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BillingEvent.BillingKeyDeleted;
import dev.outbox.sample.events.BillingEvent.SubscriptionSuspended;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import dev.outbox.sample.events.GuildEvent.GuildDeleted;
import java.sql.Timestamp;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Ends subscriptions that have lost their guild, its bot or their billing key. Ending a subscription twice changes nothing, and a late
 * event ends no subscription that was ordered after it, so these handlers tolerate repeated and late events.
 */
@Service
class Suspensions {

    /** The clocks of the application and of the database may differ by a minute. */
    private static final String SUSPEND_OF_GUILD = """
            UPDATE billing.subscriptions
               SET status = 'suspended'
             WHERE guild_id = :guildId
               AND ordered_at - interval '1 minute' <= :kickedAt
               AND status IN ('pending', 'active', 'past_due')
            RETURNING
            """ + Subscriptions.COLUMNS;

    private static final String SUSPEND_OF_KEY = """
            UPDATE billing.subscriptions
               SET status = 'suspended'
             WHERE billing_key_id = :billingKeyId
               AND status IN ('pending', 'active', 'past_due')
            RETURNING
            """ + Subscriptions.COLUMNS;

    private static final String CANCEL_OF_GUILD = """
            UPDATE billing.subscriptions
               SET status = 'canceled'
             WHERE guild_id = :guildId
               AND status <> 'canceled'
            RETURNING
            """ + Subscriptions.COLUMNS;

    private final JdbcClient jdbc;
    private final SubscriptionEvents events;

    Suspensions(JdbcClient jdbc, SubscriptionEvents events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Transactional
    @OutboxHandler(id = "billing.bot-kicked")
    void botKicked(BotKicked event, EventEnvelope envelope) {
        suspended(
                jdbc.sql(SUSPEND_OF_GUILD)
                        .param("guildId", event.guildId())
                        .param("kickedAt", Timestamp.from(envelope.occurredAt())),
                "bot_kicked");
    }

    @Transactional
    @OutboxHandler(id = "billing.key-deleted")
    void keyDeleted(BillingKeyDeleted event) {
        suspended(jdbc.sql(SUSPEND_OF_KEY).param("billingKeyId", event.billingKeyId()), "billing_key_deleted");
    }

    /**
     * Publishes no {@code SubscriptionCanceled}, which is reserved for cancellations by users. Without an event, a start that licensing
     * handles after the deletion would leave an active license.
     */
    @Transactional
    @OutboxHandler(id = "billing.guild-deleted")
    void guildDeleted(GuildDeleted event) {
        suspended(jdbc.sql(CANCEL_OF_GUILD).param("guildId", event.guildId()), "guild_deleted");
    }

    private void suspended(JdbcClient.StatementSpec suspend, String reason) {
        suspend.query(Subscription.class)
                .list()
                .forEach((subscription) ->
                        events.publish(subscription, new SubscriptionSuspended(subscription.id(), reason)));
    }
}
