package dev.outbox.sample.billing;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Claims due subscriptions. A claim opens the charge of the unpaid period, or finds the one that a crashed worker left open, and leases the
 * subscription and the charge for ten minutes.
 */
@Service
class Charges {

    /** The columns of a {@link Charge}. */
    private static final String COLUMNS =
            "id, subscription_id, billing_key_id, plan_code, amount, currency, period IS NULL AS upgrade";

    /** A subscription that ends with its period is claimed only to finish an open charge. */
    private static final String CLAIM = """
            UPDATE billing.subscriptions s
               SET next_charge_at = now() + interval '10 minutes'
             WHERE id = :id
               AND (next_charge_at <= now() OR retry_count = CAST(:failures AS integer))
               AND status IN ('pending', 'active', 'past_due')
               AND (NOT cancel_at_period_end
                    OR EXISTS (SELECT 1
                                 FROM billing.charges
                                WHERE subscription_id = s.id
                                  AND status = 'open'))
            RETURNING
            """ + Subscriptions.COLUMNS;

    /** The renewals finish the charge of an upgrade after a crash. */
    private static final String LEASE = """
            UPDATE billing.subscriptions
               SET next_charge_at = now() + interval '10 minutes'
             WHERE id = :id
            """;

    /** Relies on charges_open_once, charges_period_once and charges_attempt_once. */
    private static final String OPEN = """
            INSERT INTO billing.charges (id, subscription_id, billing_key_id, plan_code, amount, currency, period, attempt)
            SELECT :chargeId, id, billing_key_id, :planCode, :amount, :currency,
                   CASE WHEN NOT :upgrade THEN paid_periods + 1 END, CASE WHEN NOT :upgrade THEN retry_count + 1 END
              FROM billing.subscriptions
             WHERE id = :id
            ON CONFLICT DO NOTHING
            """;

    private static final String POSTPONE = """
            UPDATE billing.subscriptions
               SET next_charge_at = now() + make_interval(secs => :seconds)
             WHERE id = :id
            """;

    private static final String END_LEASE = """
            UPDATE billing.charges
               SET opened_at = now() - interval '10 minutes'
             WHERE subscription_id = :id
               AND status = 'open'
            """;

    private static final String LEASE_OPEN = """
            UPDATE billing.charges
               SET opened_at = now()
             WHERE subscription_id = :id
               AND status = 'open'
            RETURNING
            """ + COLUMNS;

    private static final String HAS_OPEN = """
            SELECT EXISTS (SELECT 1
                             FROM billing.charges
                            WHERE subscription_id = :id
                              AND status = 'open')
            """;

    private static final String CLOSE = """
            UPDATE billing.charges
               SET status = :status, closed_at = now()
             WHERE id = :id
               AND status = 'open'
            """;

    /** A bank that cannot decline in advance may collect a charge after its cancellation, which then has to be repeated. */
    private static final String REOPEN = """
            UPDATE billing.charges
               SET status = 'open', opened_at = now(), closed_at = NULL
             WHERE id = :id
               AND status = 'canceled'
            """;

    /** Younger charges may still be in the hands of the worker that claimed them last. */
    private static final String ORPHANED = "SELECT " + COLUMNS + """
              FROM billing.charges
             WHERE status = 'open'
               AND opened_at <= now() - interval '10 minutes'
               AND EXISTS (SELECT 1
                             FROM billing.subscriptions s
                            WHERE s.id = subscription_id
                              AND s.status NOT IN ('pending', 'active', 'past_due'))
             ORDER BY opened_at
            """;

    private final JdbcClient jdbc;

    Charges(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Claims a subscription if it is due, and returns the charge to collect. */
    @Transactional
    Optional<Charge> claim(UUID subscriptionId) {
        return claim(subscriptionId, null);
    }

    /** Claims a subscription whose payment is to be tried again, unless a payment has been booked since. A redelivered retry repeats its charge. */
    @Transactional
    Optional<Charge> claim(PaymentRetryDue retry) {
        return claim(retry.subscriptionId(), retry.failures());
    }

    private Optional<Charge> claim(UUID subscriptionId, @Nullable Integer failures) {
        return jdbc.sql(CLAIM)
                .param("id", subscriptionId)
                .param("failures", failures)
                .query(Subscription.class)
                .optional()
                .map((due) -> {
                    Plan plan = Plan.of(due.planToCharge());
                    return open(due, plan, plan.price(), false);
                });
    }

    /** Opens the charge of the difference to a higher plan, in the transaction of the caller, which has locked the subscription. */
    Charge openUpgrade(Subscription subscription, Plan plan) {
        jdbc.sql(LEASE).param("id", subscription.id()).update();
        long difference = plan.price() - Plan.of(subscription.planCode()).price();
        return open(subscription, plan, difference, true);
    }

    private Charge open(Subscription subscription, Plan plan, long amount, boolean upgrade) {
        jdbc.sql(OPEN)
                .param("id", subscription.id())
                .param("chargeId", UUID.randomUUID())
                .param("planCode", plan.code())
                .param("amount", amount)
                .param("currency", Plan.CURRENCY)
                .param("upgrade", upgrade)
                .update();
        return jdbc.sql(LEASE_OPEN)
                .param("id", subscription.id())
                .query(Charge.class)
                .single();
    }

    /** Returns whether a charge is open. While the caller holds the lock of the subscription, no other worker opens one. */
    boolean hasOpen(UUID subscriptionId) {
        return jdbc.sql(HAS_OPEN)
                .param("id", subscriptionId)
                .query(Boolean.class)
                .single();
    }

    /** Closes a charge, and returns whether it was open. */
    boolean close(Charge charge, String status) {
        return jdbc.sql(CLOSE).param("id", charge.id()).param("status", status).update() == 1;
    }

    /** Ends the time in which an open charge is left to the worker that claimed it. */
    void endLease(UUID subscriptionId) {
        jdbc.sql(END_LEASE).param("id", subscriptionId).update();
    }

    /** Opens a canceled charge again, so that the renewals cancel it once more. */
    void reopen(Charge charge) {
        jdbc.sql(REOPEN).param("id", charge.id()).update();
    }

    /** Replaces the lease of a claim by the time that the bank has named. */
    void postpone(Charge charge, Duration delay) {
        jdbc.sql(POSTPONE)
                .param("id", charge.subscriptionId())
                .param("seconds", delay.toMillis() / 1000.0)
                .update();
    }

    /** Finds the open charges of subscriptions that have ended. */
    List<Charge> orphaned() {
        return jdbc.sql(ORPHANED).query(Charge.class).list();
    }
}
