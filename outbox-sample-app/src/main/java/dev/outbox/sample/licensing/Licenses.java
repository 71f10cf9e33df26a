package dev.outbox.sample.licensing;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.LicensingEvent.LicenseDowngraded;
import dev.outbox.sample.events.LicensingEvent.LicenseExtended;
import dev.outbox.sample.events.LicensingEvent.LicenseGranted;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Grants licenses, and adjusts them to their subscriptions. A license stores the sequence of the last event of its subscription that it has
 * followed, so that a redelivered event changes and publishes nothing.
 */
@Service
class Licenses {

    /** The columns of a {@link License}. */
    static final String COLUMNS = "id, subscription_id, guild_id, user_id, plan_code, status, granted_at, expires_at";

    /** Returns no row if the guild already has an active free license. */
    private static final String GRANT_FREE = """
            INSERT INTO licensing.licenses (id, guild_id, plan_code, granted_at)
            VALUES (:id, :guildId, 'free', :installedAt)
            ON CONFLICT (guild_id) WHERE subscription_id IS NULL DO UPDATE
               SET status = 'active', granted_at = EXCLUDED.granted_at
             WHERE licenses.status <> 'active'
            RETURNING
            """ + COLUMNS;

    /** Returns no row if the subscription already has a license. */
    private static final String GRANT = """
            INSERT INTO licensing.licenses
                   (id, subscription_id, subscription_seq, billing_key_id, guild_id, user_id, plan_code, granted_at, expires_at)
            VALUES (:id, :subscriptionId, :seq, CAST(:billingKeyId AS uuid), :guildId, :userId, :planCode, :startedAt,
                    coalesce(CAST(:periodEnd AS timestamptz), now() + interval '1 month'))
            ON CONFLICT (subscription_id) DO NOTHING
            RETURNING
            """ + COLUMNS;

    /** Returns no row if the license has already followed this event or a later one. */
    private static final String LOCK = "SELECT " + COLUMNS + """
              FROM licensing.licenses
             WHERE subscription_id = :subscriptionId
               AND subscription_seq < :seq
               FOR UPDATE
            """;

    /** GREATEST ignores NULL, so a license without an end gets one. */
    private static final String EXTEND = """
            UPDATE licensing.licenses
               SET plan_code = :planCode, expires_at = GREATEST(expires_at, :newPeriodEnd), subscription_seq = :seq
             WHERE id = :id
            RETURNING
            """ + COLUMNS;

    private static final String DOWNGRADE = """
            UPDATE licensing.licenses
               SET plan_code = 'free', expires_at = NULL, subscription_seq = :seq
             WHERE id = :id
            """;

    private static final String UPGRADE = """
            UPDATE licensing.licenses
               SET plan_code = :newPlan, subscription_seq = :seq
             WHERE subscription_id = :subscriptionId
               AND subscription_seq < :seq
               AND plan_code <> 'free'
            """;

    /** Of the licenses of a guild, an active one counts before others, a paid plan before the free one, and the latest before earlier ones. */
    private static final String EFFECTIVE = "SELECT " + COLUMNS + """
              FROM licensing.licenses license
             WHERE NOT EXISTS (SELECT 1
                                 FROM licensing.licenses other
                                WHERE other.guild_id = license.guild_id
                                  AND (other.status = 'active', other.plan_code <> 'free', other.granted_at, other.id)
                                    > (license.status = 'active', license.plan_code <> 'free', license.granted_at, license.id))
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
    void grantFree(String guildId, Instant installedAt) {
        jdbc.sql(GRANT_FREE)
                .param("id", UUID.randomUUID())
                .param("guildId", guildId)
                .param("installedAt", Timestamp.from(installedAt))
                .query(License.class)
                .optional()
                .ifPresent(this::granted);
    }

    /** Grants the license of a subscription. The billing key is stored to find the licenses that it paid for. */
    @Transactional
    void grant(SubscriptionStarted event, EventEnvelope envelope) {
        jdbc.sql(GRANT)
                .param("id", UUID.randomUUID())
                .param("subscriptionId", event.subscriptionId())
                .param("seq", envelope.sequence())
                .param("billingKeyId", envelope.headers().get(Headers.BILLING_KEY_ID))
                .param("guildId", event.guildId())
                .param("userId", envelope.headers().get(Headers.USER_ID))
                .param("planCode", event.planCode())
                .param("startedAt", Timestamp.from(envelope.occurredAt()))
                .param("periodEnd", envelope.headers().get(Headers.PERIOD_END))
                .query(License.class)
                .optional()
                .ifPresent(this::granted);
    }

    /** Extends a license to the end of the paid period, on the plan of that period. */
    @Transactional
    void extend(PaymentSucceeded event, EventEnvelope envelope) {
        lock(event.subscriptionId(), envelope).ifPresent((license) -> {
            String plan = envelope.headers().getOrDefault(Headers.PLAN_CODE, license.planCode());
            License extended = jdbc.sql(EXTEND)
                    .param("id", license.id())
                    .param("seq", envelope.sequence())
                    .param("planCode", plan)
                    .param("newPeriodEnd", Timestamp.from(event.newPeriodEnd()))
                    .query(License.class)
                    .single();
            boolean lowered = envelope.headers().containsKey(Headers.DOWNGRADED_FROM) && !license.isFree();
            if (lowered && !plan.equals(license.planCode())) {
                events.publish(license, new LicenseDowngraded(license.id(), license.planCode(), plan));
            }
            Instant expiresAt = Objects.requireNonNull(extended.expiresAt());
            if (!expiresAt.equals(license.expiresAt())) {
                events.publish(license, new LicenseExtended(license.id(), expiresAt));
            }
        });
    }

    @Transactional
    void downgrade(PaymentFailedFinal event, EventEnvelope envelope) {
        lock(event.subscriptionId(), envelope)
                .filter((license) -> !license.isFree())
                .ifPresent((license) -> {
                    jdbc.sql(DOWNGRADE)
                            .param("id", license.id())
                            .param("seq", envelope.sequence())
                            .update();
                    events.publish(license, new LicenseDowngraded(license.id(), license.planCode(), License.FREE));
                });
    }

    /** Applies the higher plan immediately, unless the license is back to the free plan. */
    void upgrade(PlanUpgraded event, EventEnvelope envelope) {
        jdbc.sql(UPGRADE)
                .param("subscriptionId", event.subscriptionId())
                .param("seq", envelope.sequence())
                .param("newPlan", event.newPlan())
                .update();
    }

    /** Finds the license of each guild that counts, the latest first. */
    List<License> effective() {
        return jdbc.sql(EFFECTIVE).query(License.class).list();
    }

    private Optional<License> lock(UUID subscriptionId, EventEnvelope envelope) {
        return jdbc.sql(LOCK)
                .param("subscriptionId", subscriptionId)
                .param("seq", envelope.sequence())
                .query(License.class)
                .optional();
    }

    private void granted(License license) {
        events.publish(license, new LicenseGranted(license.id(), license.guildId(), license.planCode()));
    }
}
