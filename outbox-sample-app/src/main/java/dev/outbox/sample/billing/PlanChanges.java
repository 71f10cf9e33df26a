package dev.outbox.sample.billing;

import dev.outbox.sample.events.BillingEvent.PlanDowngraded;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Changes plans: to a higher one when the difference is paid, to a lower one when the paid period is over. */
@Service
class PlanChanges {

    private static final String SET_NEXT_PLAN = """
            UPDATE billing.subscriptions
               SET next_plan_code = nullif(:planCode, plan_code)
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final Subscriptions subscriptions;
    private final Charges charges;
    private final SubscriptionEvents events;

    PlanChanges(JdbcClient jdbc, Subscriptions subscriptions, Charges charges, SubscriptionEvents events) {
        this.jdbc = jdbc;
        this.subscriptions = subscriptions;
        this.charges = charges;
        this.events = events;
    }

    /** Changes a plan, or returns the charge that pays for the higher one. The current plan withdraws a downgrade. */
    @Transactional
    Optional<Charge> change(UUID id, Plan plan) {
        Subscription subscription = subscriptions.lockRunning(id);
        requireNoOpenCharge(subscription);
        String old = subscription.planCode();
        if (plan.isAbove(Plan.of(old))) {
            requirePaid(subscription);
            return Optional.of(charges.openUpgrade(subscription, plan));
        }
        jdbc.sql(SET_NEXT_PLAN).param("id", id).param("planCode", plan.code()).update();
        if (!plan.code().equals(old) && !plan.code().equals(subscription.planToCharge())) {
            events.publish(
                    subscription,
                    new PlanDowngraded(id, old, plan.code(), Objects.requireNonNull(subscription.periodEnd())));
        }
        return Optional.empty();
    }

    /** The bank may have collected an open charge already, which pays for the plan at the time of the claim. */
    private void requireNoOpenCharge(Subscription subscription) {
        if (charges.hasOpen(subscription.id())) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT,
                    "a payment of subscription " + subscription.id() + " is under way: change the plan after it");
        }
    }

    /** The license rises at once, so a higher plan must not start on an unpaid period. */
    private static void requirePaid(Subscription subscription) {
        if (subscription.isPastDue()) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT,
                    "subscription " + subscription.id() + " is past due: pay before you choose a higher plan");
        }
    }
}
