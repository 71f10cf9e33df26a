package dev.outbox.sample.licensing;

import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.LicensingEvent.LicenseDowngraded;
import dev.outbox.sample.events.LicensingEvent.LicenseExtended;
import dev.outbox.sample.events.LicensingEvent.LicenseGranted;
import java.sql.Timestamp;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Grants licenses, and adjusts them to their subscriptions. Each change happens and is published once, however often its event is delivered.
 */
@Service
class Licenses {

    /** The columns of a {@link License}. */
    static final String COLUMNS = "id, subscription_id, guild_id, plan_code, status, granted_at, expires_at";

    static final String FREE = "free";

    /** Returns no row if the guild already has an active free license. */
    private static final String GRANT_FREE = """
            INSERT INTO licensing.licenses (id, guild_id, plan_code)
            VALUES (:id, :guildId, 'free')
            ON CONFLICT (guild_id) WHERE subscription_id IS NULL DO UPDATE
               SET status = 'active', granted_at = now()
             WHERE licenses.status <> 'active'
            RETURNING
            """ + COLUMNS;

    /** Returns no row if the subscription already has a license. */
    private static final String GRANT = """
            INSERT INTO licensing.licenses (id, subscription_id, billing_key_id, guild_id, plan_code, expires_at)
            VALUES (:id, :subscriptionId, CAST(:billingKeyId AS uuid), :guildId, :planCode, now() + interval '1 month')
            ON CONFLICT (subscription_id) DO NOTHING
            RETURNING
            """ + COLUMNS;

    /** GREATEST makes the update idempotent; the last condition tells whether it changed anything. */
    private static final String EXTEND = """
            UPDATE licensing.licenses
               SET expires_at = GREATEST(expires_at, :newPeriodEnd)
             WHERE subscription_id = :subscriptionId
               AND expires_at < :newPeriodEnd
            RETURNING
            """ + COLUMNS;

    private static final String DOWNGRADE = """
            UPDATE licensing.licenses
               SET plan_code = 'free', expires_at = NULL
             WHERE id = :id
            """;

    private static final String UPGRADE = """
            UPDATE licensing.licenses
               SET plan_code = :newPlan
             WHERE subscription_id = :subscriptionId
               AND plan_code <> 'free'
            """;

    private static final String LOCK = "SELECT " + COLUMNS + """
              FROM licensing.licenses
             WHERE subscription_id = :subscriptionId
               FOR UPDATE
            """;

    private static final String LATEST = "SELECT " + COLUMNS + """
              FROM licensing.licenses
             ORDER BY granted_at DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;
    private final LicenseEvents events;

    Licenses(JdbcClient jdbc, LicenseEvents events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Transactional
    void grantFree(String guildId) {
        jdbc.sql(GRANT_FREE)
                .param("id", UUID.randomUUID())
                .param("guildId", guildId)
                .query(License.class)
                .optional()
                .ifPresent(this::granted);
    }

    /** Grants the license of a subscription. The billing key is stored to find the licenses that it paid for. */
    @Transactional
    void grant(SubscriptionStarted event, @Nullable String billingKeyId) {
        jdbc.sql(GRANT)
                .param("id", UUID.randomUUID())
                .param("subscriptionId", event.subscriptionId())
                .param("billingKeyId", billingKeyId)
                .param("guildId", event.guildId())
                .param("planCode", event.planCode())
                .query(License.class)
                .optional()
                .ifPresent(this::granted);
    }

    @Transactional
    void extend(PaymentSucceeded event) {
        jdbc.sql(EXTEND)
                .param("subscriptionId", event.subscriptionId())
                .param("newPeriodEnd", Timestamp.from(event.newPeriodEnd()))
                .query(License.class)
                .optional()
                .ifPresent((license) -> events.publish(
                        license, new LicenseExtended(license.id(), Objects.requireNonNull(license.expiresAt()))));
    }

    @Transactional
    void downgrade(PaymentFailedFinal event) {
        jdbc.sql(LOCK)
                .param("subscriptionId", event.subscriptionId())
                .query(License.class)
                .optional()
                .filter((license) -> !license.planCode().equals(FREE))
                .ifPresent((license) -> {
                    jdbc.sql(DOWNGRADE).param("id", license.id()).update();
                    events.publish(license, new LicenseDowngraded(license.id(), license.planCode(), FREE));
                });
    }

    /** Applies the higher plan immediately, unless the license is back to the free plan. */
    void upgrade(PlanUpgraded event) {
        jdbc.sql(UPGRADE)
                .param("subscriptionId", event.subscriptionId())
                .param("newPlan", event.newPlan())
                .update();
    }

    List<License> latest() {
        return jdbc.sql(LATEST).query(License.class).list();
    }

    private void granted(License license) {
        events.publish(license, new LicenseGranted(license.id(), license.guildId(), license.planCode()));
    }
}
