package dev.outbox.sample.billing;

import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Ends subscriptions that were canceled for the end of their period, and charges due subscriptions: for a new period, after a failed
 * payment, or after a crash that left the first charge open.
 */
@Component
final class Renewals {

    private static final Logger log = LoggerFactory.getLogger(Renewals.class);

    private static final String END = """
            UPDATE billing.subscriptions
               SET status = 'canceled'
             WHERE next_charge_at <= now()
               AND status IN ('active', 'past_due')
               AND cancel_at_period_end
            """;

    private static final String DUE = """
            SELECT id
              FROM billing.subscriptions
             WHERE next_charge_at <= now()
               AND status IN ('pending', 'active', 'past_due')
             ORDER BY next_charge_at
             LIMIT 1000
            """;

    private final JdbcClient jdbc;
    private final Charging charging;

    Renewals(JdbcClient jdbc, Charging charging) {
        this.jdbc = jdbc;
        this.charging = charging;
    }

    @Scheduled(cron = "${billing.renewals}")
    void runOnce() {
        jdbc.sql(END).update();
        jdbc.sql(DUE).query(UUID.class).list().forEach(this::charge);
    }

    private void charge(UUID subscriptionId) {
        try {
            charging.charge(subscriptionId);
        } catch (RuntimeException ex) {
            log.warn("cannot charge subscription {}; it stays due", subscriptionId, ex);
        }
    }
}
