package dev.outbox.sample.licensing;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.events.BillingEvent.SubscriptionSuspended;
import dev.outbox.sample.events.LicensingEvent.LicenseCanceled;
import dev.outbox.sample.events.LicensingEvent.LicenseSuspended;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Suspends and cancels licenses. Several events can request the same change: the first one makes it and publishes, the others change
 * nothing.
 */
@Service
class LicenseEndings {

    private static final String END = """
            UPDATE licensing.licenses
               SET status = :status, subscription_seq = :seq
             WHERE subscription_id = :subscriptionId
               AND subscription_seq < :seq
               AND status = 'active'
            RETURNING
            """ + Licenses.COLUMNS;

    /** Leaves the licenses that were granted after the kick. The clocks of two processes may differ by a minute. */
    private static final String SUSPEND_OF_GUILD = """
            UPDATE licensing.licenses
               SET status = 'suspended'
             WHERE guild_id = :guildId
               AND granted_at - interval '1 minute' <= :kickedAt
               AND status = 'active'
            RETURNING
            """ + Licenses.COLUMNS;

    private static final String SUSPEND_OF_KEY = """
            UPDATE licensing.licenses
               SET status = 'suspended'
             WHERE billing_key_id = :billingKeyId
               AND status = 'active'
            RETURNING
            """ + Licenses.COLUMNS;

    private static final String CANCEL_OF_GUILD = """
            UPDATE licensing.licenses
               SET status = 'canceled'
             WHERE guild_id = :guildId
               AND status <> 'canceled'
            RETURNING
            """ + Licenses.COLUMNS;

    private final JdbcClient jdbc;
    private final LicenseEvents events;

    LicenseEndings(JdbcClient jdbc, LicenseEvents events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    /** Suspends the license of a subscription, or cancels it if the user has canceled the subscription. */
    @Transactional
    void end(SubscriptionSuspended event, EventEnvelope envelope) {
        boolean canceled = event.reason().equals("canceled");
        JdbcClient.StatementSpec end = jdbc.sql(END)
                .param("subscriptionId", event.subscriptionId())
                .param("seq", envelope.sequence())
                .param("status", canceled ? "canceled" : "suspended");
        if (canceled) {
            canceled(end);
        } else {
            suspended(end, event.reason());
        }
    }

    @Transactional
    void suspendOfGuild(String guildId, Instant kickedAt) {
        suspended(
                jdbc.sql(SUSPEND_OF_GUILD).param("guildId", guildId).param("kickedAt", Timestamp.from(kickedAt)),
                "bot_kicked");
    }

    @Transactional
    void suspendOfKey(UUID billingKeyId, String reason) {
        suspended(jdbc.sql(SUSPEND_OF_KEY).param("billingKeyId", billingKeyId), reason);
    }

    @Transactional
    void cancelOfGuild(String guildId) {
        canceled(jdbc.sql(CANCEL_OF_GUILD).param("guildId", guildId));
    }

    private void canceled(JdbcClient.StatementSpec cancel) {
        cancel.query(License.class)
                .list()
                .forEach((license) -> events.publish(license, new LicenseCanceled(license.id())));
    }

    private void suspended(JdbcClient.StatementSpec suspend, String reason) {
        suspend.query(License.class)
                .list()
                .forEach((license) -> events.publish(license, new LicenseSuspended(license.id(), reason)));
    }
}
