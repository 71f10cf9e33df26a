package dev.outbox.sample.billing;

import dev.outbox.sample.events.BillingEvent.PlanDowngraded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import java.util.Objects;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Changes plans: to a higher one at once, to a lower one when the paid period is over. */
@Service
class PlanChanges {

    private static final String UPGRADE = """
            UPDATE billing.subscriptions
               SET plan_code = :planCode, next_plan_code = NULL
             WHERE id = :id
            """;

    private static final String DOWNGRADE = """
            UPDATE billing.subscriptions
               SET next_plan_code = :planCode
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final Subscriptions subscriptions;
    private final SubscriptionEvents events;

    PlanChanges(JdbcClient jdbc, Subscriptions subscriptions, SubscriptionEvents events) {
        this.jdbc = jdbc;
        this.subscriptions = subscriptions;
        this.events = events;
    }

    @Transactional
    Subscription change(UUID id, Plan plan) {
        Subscription subscription = subscriptions.lockRunning(id);
        String old = subscription.planCode();
        if (plan.isAbove(Plan.of(old))) {
            update(UPGRADE, id, plan);
            events.publish(subscription, new PlanUpgraded(id, old, plan.code()));
        } else if (!plan.code().equals(subscription.planToCharge())) {
            update(DOWNGRADE, id, plan);
            events.publish(
                    subscription,
                    new PlanDowngraded(id, old, plan.code(), Objects.requireNonNull(subscription.periodEnd())));
        }
        return subscriptions.find(id);
    }

    private void update(String sql, UUID id, Plan plan) {
        jdbc.sql(sql).param("id", id).param("planCode", plan.code()).update();
    }
}
