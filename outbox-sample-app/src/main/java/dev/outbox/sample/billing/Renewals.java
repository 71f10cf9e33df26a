package dev.outbox.sample.billing;

import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Ends subscriptions that were canceled for the end of their period, charges those whose period is over, repeats charges that a crash left
 * open, and cancels the open charges of ended subscriptions. Any number of processes can run it at the same time. After a failed payment, a
 * {@link PaymentRetryDue} charges instead.
 */
@Component
final class Renewals {

    private static final Logger log = LoggerFactory.getLogger(Renewals.class);

    /** The list may be old when a subscription is reached: a claim checks again. */
    private static final String DUE = """
            SELECT id
              FROM billing.subscriptions s
             WHERE next_charge_at <= now()
               AND status IN ('pending', 'active', 'past_due')
               AND (status <> 'past_due'
                    OR EXISTS (SELECT 1
                                 FROM billing.charges
                                WHERE subscription_id = s.id
                                  AND status = 'open'))
             ORDER BY next_charge_at
            """;

    private final JdbcClient jdbc;
    private final Subscriptions subscriptions;
    private final Charges charges;
    private final Charging charging;

    Renewals(JdbcClient jdbc, Subscriptions subscriptions, Charges charges, Charging charging) {
        this.jdbc = jdbc;
        this.subscriptions = subscriptions;
        this.charges = charges;
        this.charging = charging;
    }

    @Scheduled(cron = "${sample.billing.renewals}")
    void runOnce() {
        forEach(subscriptions.ending(), subscriptions::end, "end subscription");
        forEach(jdbc.sql(DUE).query(UUID.class).list(), charging::charge, "charge subscription");
        forEach(charges.orphaned(), charging::cancel, "cancel");
    }

    private static <T> void forEach(List<T> items, Consumer<T> action, String name) {
        for (T item : items) {
            try {
                action.accept(item);
            } catch (RuntimeException ex) {
                log.warn("Cannot {} {}; a later run tries again", name, item, ex);
            }
        }
    }
}
