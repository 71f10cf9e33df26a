package dev.outbox.sample.billing;

import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Books each charge once, and publishes the change of the subscription in the same transaction. */
@Service
class Ledger {

    private static final Logger log = LoggerFactory.getLogger(Ledger.class);

    /** No plan changes while a charge is open, so its plan is that of the new period. Periods are counted from the start. */
    private static final String RENEW = """
            UPDATE billing.subscriptions
               SET status = 'active',
                   plan_code = :paidPlan,
                   next_plan_code = NULL,
                   retry_count = 0,
                   paid_periods = paid_periods + 1,
                   started_at = coalesce(started_at, now()),
                   (period_end, next_charge_at) = (
                       SELECT due, due
                         FROM (SELECT coalesce(started_at, now()) + (paid_periods + 1)
                                    * coalesce(make_interval(secs => CAST(:period AS integer)), interval '1 month')) AS next (due))
             WHERE id = :id
            RETURNING
            """ + Subscriptions.COLUMNS;

    private static final String END_UPGRADE = """
            UPDATE billing.subscriptions
               SET plan_code = :planCode, next_plan_code = :nextPlanCode, next_charge_at = period_end
             WHERE id = :id
            RETURNING
            """ + Subscriptions.COLUMNS;

    private static final String FAIL = """
            UPDATE billing.subscriptions
               SET status = :status,
                   retry_count = :failures,
                   next_charge_at = now() + make_interval(secs => :retryAfter)
             WHERE id = :id
            RETURNING
            """ + Subscriptions.COLUMNS;

    private final JdbcClient jdbc;
    private final Subscriptions subscriptions;
    private final Charges charges;
    private final SubscriptionEvents events;
    private final BillingSettings settings;

    Ledger(
            JdbcClient jdbc,
            Subscriptions subscriptions,
            Charges charges,
            SubscriptionEvents events,
            BillingSettings settings) {
        this.jdbc = jdbc;
        this.subscriptions = subscriptions;
        this.charges = charges;
        this.events = events;
        this.settings = settings;
    }

    @Transactional
    Subscription paid(Charge charge) {
        Subscription before = subscriptions.lock(charge.subscriptionId());
        if (!before.isChargeable()) {
            log.warn("{} was paid, but its subscription is {}; the renewals cancel it", charge, before.status());
            charges.reopen(charge);
            return before;
        }
        if (!charges.close(charge, "succeeded")) {
            return before;
        }
        if (charge.upgrade()) {
            Subscription upgraded = endUpgrade(before.id(), charge.planCode(), null);
            events.publish(upgraded, new PlanUpgraded(before.id(), before.planCode(), charge.planCode()));
            return upgraded;
        }
        Duration period = settings.period();
        Subscription renewed = jdbc.sql(RENEW)
                .param("id", before.id())
                .param("paidPlan", charge.planCode())
                .param("period", period == null ? null : period.toSeconds())
                .query(Subscription.class)
                .single();
        if (before.isPending()) {
            events.publishStarted(renewed);
        } else {
            events.publishPaid(renewed, charge, before.planCode());
        }
        return renewed;
    }

    @Transactional
    Subscription declined(Charge charge) {
        Subscription before = subscriptions.lock(charge.subscriptionId());
        if (!charges.close(charge, "failed") || !before.isChargeable()) {
            return before;
        }
        if (charge.upgrade()) {
            return endUpgrade(before.id(), before.planCode(), before.nextPlanCode());
        }
        int failures = before.retryCount() + 1;
        boolean over = before.isPending() || failures >= settings.finalFailure();
        Subscription failed = jdbc.sql(FAIL)
                .param("id", before.id())
                .param("status", over ? "canceled" : "past_due")
                .param("failures", failures)
                .param("retryAfter", settings.retryAfter().toSeconds())
                .query(Subscription.class)
                .single();
        if (before.isRunning() && over) {
            events.publishFailedFinal(before);
        } else if (before.isRunning()) {
            events.publishFailed(failed, charge);
        }
        return failed;
    }

    /** Ends the lease of an upgrade: the next charge is that of the next period. */
    private Subscription endUpgrade(UUID id, String planCode, @Nullable String nextPlanCode) {
        return jdbc.sql(END_UPGRADE)
                .param("id", id)
                .param("planCode", planCode)
                .param("nextPlanCode", nextPlanCode)
                .query(Subscription.class)
                .single();
    }
}
