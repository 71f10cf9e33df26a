package dev.outbox.sample.billing;

import dev.outbox.sample.events.BillingEvent.SubscriptionCanceled;
import dev.outbox.sample.web.NotFoundException;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Takes orders for subscriptions, and cancels them. */
@Service
class Subscriptions {

    /** The columns of a {@link Subscription}. */
    static final String COLUMNS = """
            id, guild_id, billing_key_id, plan_code, next_plan_code, status, cancel_at_period_end, retry_count, period_end, started_at
            """;

    private static final String ORDER = """
            INSERT INTO billing.subscriptions (id, guild_id, billing_key_id, plan_code)
            VALUES (:id, :guildId, :billingKeyId, :planCode)
            """;

    private static final String CANCEL = """
            UPDATE billing.subscriptions
               SET cancel_at_period_end = :atPeriodEnd,
                   status = CASE WHEN :atPeriodEnd THEN status ELSE 'canceled' END
             WHERE id = :id
            """;

    private static final String FIND = "SELECT " + COLUMNS + """
              FROM billing.subscriptions
             WHERE id = :id
            """;

    private static final String LOCK = FIND + " FOR UPDATE";

    private final JdbcClient jdbc;
    private final BillingKeys keys;
    private final SubscriptionEvents events;

    Subscriptions(JdbcClient jdbc, BillingKeys keys, SubscriptionEvents events) {
        this.jdbc = jdbc;
        this.keys = keys;
        this.events = events;
    }

    /** Stores a subscription that is still to be paid for. */
    @Transactional
    UUID order(String guildId, Plan plan, String userId) {
        UUID id = UUID.randomUUID();
        jdbc.sql(ORDER)
                .param("id", id)
                .param("guildId", guildId)
                .param("billingKeyId", keys.issue(userId))
                .param("planCode", plan.code())
                .update();
        return id;
    }

    /** Cancels at once, or for the end of the period that is paid for. */
    @Transactional
    Subscription cancel(UUID id, boolean atPeriodEnd) {
        Subscription running = lockRunning(id);
        if (!atPeriodEnd || !running.cancelAtPeriodEnd()) {
            jdbc.sql(CANCEL).param("id", id).param("atPeriodEnd", atPeriodEnd).update();
            events.publish(running, new SubscriptionCanceled(id, atPeriodEnd));
        }
        return find(id);
    }

    Subscription find(UUID id) {
        return find(FIND, id);
    }

    /** Finds and locks a subscription until the transaction of the caller ends. */
    Subscription lock(UUID id) {
        return find(LOCK, id);
    }

    /** As {@link #lock}, of a subscription that is neither waiting for its first payment nor over. */
    Subscription lockRunning(UUID id) {
        Subscription subscription = lock(id);
        if (!subscription.isRunning()) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT, "subscription " + id + " is " + subscription.status());
        }
        return subscription;
    }

    private Subscription find(String sql, UUID id) {
        return jdbc.sql(sql)
                .param("id", id)
                .query(Subscription.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("subscription", id));
    }
}
