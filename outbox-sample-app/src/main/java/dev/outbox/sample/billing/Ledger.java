package dev.outbox.sample.billing;

import dev.outbox.sample.events.BillingEvent.PaymentFailed;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import java.util.Objects;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Books each charge once, and publishes the change of the subscription in the same transaction. */
@Service
class Ledger {

    private static final Logger log = LoggerFactory.getLogger(Ledger.class);

    private static final String OPEN = """
            INSERT INTO billing.charges (id, subscription_id)
            VALUES (:id, :subscriptionId)
            ON CONFLICT (subscription_id) WHERE status = 'open' DO NOTHING
            """;

    private static final String FIND_OPEN = """
            SELECT charge.id, charge.subscription_id, subscription.billing_key_id
              FROM billing.charges charge
              JOIN billing.subscriptions subscription ON subscription.id = charge.subscription_id
             WHERE charge.subscription_id = :subscriptionId
               AND charge.status = 'open'
            """;

    private static final String CLOSE = """
            UPDATE billing.charges
               SET status = :status, closed_at = now()
             WHERE id = :id
               AND status = 'open'
            """;

    private static final String RENEW = """
            UPDATE billing.subscriptions
               SET status = 'active',
                   plan_code = coalesce(next_plan_code, plan_code),
                   next_plan_code = NULL,
                   retry_count = 0,
                   started_at = coalesce(started_at, now()),
                   period_end = coalesce(period_end, now()) + interval '1 month',
                   next_charge_at = coalesce(period_end, now()) + interval '1 month'
             WHERE id = :id
            """;

    private static final String FAIL = """
            UPDATE billing.subscriptions
               SET status = :status,
                   retry_count = :failures,
                   next_charge_at = now() + make_interval(secs => :retryAfter)
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final Subscriptions subscriptions;
    private final SubscriptionEvents events;
    private final BillingSettings settings;

    Ledger(JdbcClient jdbc, Subscriptions subscriptions, SubscriptionEvents events, BillingSettings settings) {
        this.jdbc = jdbc;
        this.subscriptions = subscriptions;
        this.events = events;
        this.settings = settings;
    }

    /** Opens a charge, unless one is open already. */
    @Transactional
    Charge open(UUID subscriptionId) {
        jdbc.sql(OPEN)
                .param("id", UUID.randomUUID())
                .param("subscriptionId", subscriptionId)
                .update();
        return jdbc.sql(FIND_OPEN)
                .param("subscriptionId", subscriptionId)
                .query(Charge.class)
                .single();
    }

    @Transactional
    Subscription paid(Charge charge) {
        Subscription before = subscriptions.lock(charge.subscriptionId());
        if (!close(charge, "succeeded")) {
            return before;
        }
        if (!before.isChargeable()) {
            log.warn("{} was paid, but subscription {} is {}: to be given back", charge, before.id(), before.status());
            return before;
        }
        jdbc.sql(RENEW).param("id", before.id()).update();
        Subscription renewed = subscriptions.find(before.id());
        events.publish(
                renewed,
                before.isPending()
                        ? new SubscriptionStarted(renewed.id(), renewed.guildId(), renewed.planCode())
                        : new PaymentSucceeded(renewed.id(), charge.id(), Objects.requireNonNull(renewed.periodEnd())));
        return renewed;
    }

    @Transactional
    Subscription declined(Charge charge) {
        Subscription before = subscriptions.lock(charge.subscriptionId());
        if (!close(charge, "failed") || !before.isChargeable()) {
            return before;
        }
        int failures = before.retryCount() + 1;
        boolean over = before.isPending() || failures >= settings.finalFailure();
        jdbc.sql(FAIL)
                .param("id", before.id())
                .param("status", over ? "canceled" : "past_due")
                .param("failures", failures)
                .param("retryAfter", settings.retryAfter().toSeconds())
                .update();
        if (before.isRunning()) {
            events.publish(
                    before,
                    over ? new PaymentFailedFinal(before.id()) : new PaymentFailed(before.id(), charge.id(), failures));
        }
        return subscriptions.find(before.id());
    }

    private boolean close(Charge charge, String status) {
        return jdbc.sql(CLOSE).param("id", charge.id()).param("status", status).update() == 1;
    }
}
