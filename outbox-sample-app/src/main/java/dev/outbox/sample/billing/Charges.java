package dev.outbox.sample.billing;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Claims due subscriptions. A claim opens the charge of the unpaid period, or finds the one that a crashed worker left open, and leases the
 * subscription for ten minutes.
 */
@Service
class Charges {

    /** A subscription that ends with its period is claimed only to finish an open charge. */
    private static final String CLAIM = """
            UPDATE billing.subscriptions
               SET next_charge_at = now() + interval '10 minutes'
             WHERE id = (SELECT id
                           FROM billing.subscriptions s
                          WHERE id = :id
                            AND next_charge_at <= now()
                            AND status IN ('pending', 'active', 'past_due')
                            AND (NOT cancel_at_period_end
                                 OR EXISTS (SELECT 1
                                              FROM billing.charges
                                             WHERE subscription_id = s.id
                                               AND status = 'open'))
                            FOR UPDATE SKIP LOCKED)
            """;

    /** Relies on charges_period_once and charges_attempt_once. */
    private static final String OPEN = """
            INSERT INTO billing.charges (id, subscription_id, billing_key_id, plan_code, period, attempt)
            SELECT :chargeId, id, billing_key_id, coalesce(next_plan_code, plan_code), paid_periods + 1, retry_count + 1
              FROM billing.subscriptions
             WHERE id = :id
            ON CONFLICT DO NOTHING
            """;

    private static final String FIND_OPEN = """
            SELECT id, subscription_id, billing_key_id, plan_code
              FROM billing.charges
             WHERE subscription_id = :id
               AND status = 'open'
            """;

    private static final String CLOSE = """
            UPDATE billing.charges
               SET status = :status, closed_at = now()
             WHERE id = :id
               AND status = 'open'
            """;

    /** Younger charges may still be in the hands of the worker that opened them. */
    private static final String ORPHANED = """
            SELECT charge.id, charge.subscription_id, charge.billing_key_id, charge.plan_code
              FROM billing.charges charge
              JOIN billing.subscriptions subscription ON subscription.id = charge.subscription_id
             WHERE charge.status = 'open'
               AND charge.opened_at <= now() - interval '10 minutes'
               AND subscription.status NOT IN ('pending', 'active', 'past_due')
             ORDER BY charge.opened_at
            """;

    private final JdbcClient jdbc;

    Charges(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Claims a subscription if it is due, and returns the charge to collect. */
    @Transactional
    Optional<Charge> claim(UUID subscriptionId) {
        if (jdbc.sql(CLAIM).param("id", subscriptionId).update() == 0) {
            return Optional.empty();
        }
        jdbc.sql(OPEN)
                .param("id", subscriptionId)
                .param("chargeId", UUID.randomUUID())
                .update();
        return Optional.of(findOpen(subscriptionId).orElseThrow());
    }

    /** Returns whether a charge is open. While the caller holds the lock of the subscription, no other worker opens one. */
    boolean hasOpen(UUID subscriptionId) {
        return findOpen(subscriptionId).isPresent();
    }

    private Optional<Charge> findOpen(UUID subscriptionId) {
        return jdbc.sql(FIND_OPEN)
                .param("id", subscriptionId)
                .query(Charge.class)
                .optional();
    }

    /** Closes a charge, and returns whether it was open. */
    boolean close(Charge charge, String status) {
        return jdbc.sql(CLOSE).param("id", charge.id()).param("status", status).update() == 1;
    }

    /** Finds the open charges of subscriptions that have ended. */
    List<Charge> orphaned() {
        return jdbc.sql(ORPHANED).query(Charge.class).list();
    }
}
