package dev.outbox.sample.billing;

import dev.outbox.sample.discord.Bot;
import dev.outbox.sample.events.BillingEvent.SubscriptionCanceled;
import dev.outbox.sample.events.BillingEvent.SubscriptionSuspended;
import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Takes orders for subscriptions, cancels and ends them. */
@Service
class Subscriptions {

    /** The columns of a {@link Subscription}. */
    static final String COLUMNS = """
            id, guild_id, billing_key_id,
            (SELECT user_id FROM billing.billing_keys k WHERE k.id = billing_key_id) AS user_id, plan_code, next_plan_code, status, cancel_at_period_end, retry_count, period_end, started_at,
            next_charge_at
            """;

    private static final String ORDER = """
            INSERT INTO billing.subscriptions (id, guild_id, billing_key_id, plan_code)
            VALUES (:id, :guildId, :billingKeyId, :planCode)
            ON CONFLICT (guild_id) WHERE status IN ('pending', 'active', 'past_due') DO NOTHING
            """;

    private static final String CANCEL = """
            UPDATE billing.subscriptions
               SET cancel_at_period_end = :atPeriodEnd,
                   status = CASE WHEN :atPeriodEnd THEN status ELSE 'canceled' END
             WHERE id = :id
            """;

    /** Relies on subscriptions_ending. An open charge is finished first, because the bank may have collected it. */
    private static final String ENDING = """
            SELECT id
              FROM billing.subscriptions s
             WHERE period_end <= now()
               AND status IN ('active', 'past_due')
               AND cancel_at_period_end
               AND NOT EXISTS (SELECT 1
                                 FROM billing.charges
                                WHERE subscription_id = s.id
                                  AND status = 'open')
            """;

    private static final String END = """
            UPDATE billing.subscriptions
               SET status = 'canceled'
             WHERE id = (
            """ + ENDING + """
               AND id = :id
               FOR UPDATE SKIP LOCKED)
            RETURNING
            """ + COLUMNS;

    private static final String MAKE_DUE = """
            UPDATE billing.subscriptions
               SET next_charge_at = now(),
                   period_end = CASE WHEN period_end > now() THEN now() ELSE period_end END
             WHERE id = :id
               AND status IN ('pending', 'active', 'past_due')
            """;

    private static final String FIND = "SELECT " + COLUMNS + """
              FROM billing.subscriptions
             WHERE id = :id
            """;

    private static final String LOCK = FIND + " FOR UPDATE";

    private final JdbcClient jdbc;
    private final BillingKeys keys;
    private final Charges charges;
    private final SubscriptionEvents events;
    private final Bot bot;

    Subscriptions(JdbcClient jdbc, BillingKeys keys, Charges charges, SubscriptionEvents events, Bot bot) {
        this.jdbc = jdbc;
        this.keys = keys;
        this.charges = charges;
        this.events = events;
        this.bot = bot;
    }

    /** Stores the only subscription of a guild that has the bot, and claims the charge of its first period. */
    @Transactional
    Charge order(String guildId, Plan plan, String userId, @Nullable String authKey) {
        bot.requireIn(guildId);
        UUID id = UUID.randomUUID();
        int stored = jdbc.sql(ORDER)
                .param("id", id)
                .param("guildId", guildId)
                .param("billingKeyId", keys.issue(userId, authKey))
                .param("planCode", plan.code())
                .update();
        if (stored == 0) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT,
                    "guild " + guildId + " has a subscription: change its plan, or cancel it first");
        }
        return charges.claim(id).orElseThrow();
    }

    /** Cancels at once, or for the end of the period that is paid for. */
    @Transactional
    Subscription cancel(UUID id, boolean atPeriodEnd) {
        Subscription running = lockRunning(id);
        if (!atPeriodEnd || !running.cancelAtPeriodEnd()) {
            jdbc.sql(CANCEL).param("id", id).param("atPeriodEnd", atPeriodEnd).update();
            events.publish(running, new SubscriptionCanceled(id, atPeriodEnd));
            if (!atPeriodEnd) {
                ended(running);
            }
        }
        return find(id);
    }

    /** Finds the subscriptions whose last period is over. */
    List<UUID> ending() {
        return jdbc.sql(ENDING).query(UUID.class).list();
    }

    /** Ends a subscription whose last period is over. Two workers end it once. */
    @Transactional
    void end(UUID id) {
        jdbc.sql(END).param("id", id).query(Subscription.class).optional().ifPresent(this::ended);
    }

    /** Ends the paid period, the wait for the next attempt and the lease of a claim. */
    @Transactional
    void makeDue(UUID id) {
        jdbc.sql(MAKE_DUE).param("id", id).update();
        charges.endLease(id);
    }

    private void ended(Subscription subscription) {
        events.publish(subscription, new SubscriptionSuspended(subscription.id(), "canceled"));
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
