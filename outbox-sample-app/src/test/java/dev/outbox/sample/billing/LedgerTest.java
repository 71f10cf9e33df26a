package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@SampleTest
class LedgerTest {

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private Ledger ledger;

    @Autowired
    private Renewals renewals;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void rolledBackBookingLeavesNeitherStateNorEvent() {
        UUID id = subscriptions.order("guild-rollback", Plan.PRO, "user-1");
        Charge charge = ledger.open(id);

        transaction.executeWithoutResult((status) -> {
            ledger.paid(charge);
            status.setRollbackOnly();
        });

        assertThat(subscriptions.find(id).status()).isEqualTo("pending");
        assertThat(eventsOf(id)).isEmpty();
    }

    @Test
    void chargeIsBookedOnce() {
        UUID id = subscriptions.order("guild-once", Plan.PRO, "user-1");
        Charge charge = ledger.open(id);

        Subscription paid = ledger.paid(charge);

        assertThat(ledger.paid(charge)).isEqualTo(paid);
        assertThat(ledger.declined(charge)).isEqualTo(paid);
        assertThat(eventsOf(id)).containsExactly("SubscriptionStarted");
    }

    @Test
    void chargeLeftOpenByCrashIsResumed() {
        UUID id = subscriptions.order("guild-crash", Plan.PRO, "user-1");
        Charge charge = ledger.open(id);
        due(id);

        renewals.runOnce();

        assertThat(jdbc.sql("SELECT id FROM billing.charges WHERE subscription_id = :id")
                        .param("id", id)
                        .query(UUID.class)
                        .list())
                .containsExactly(charge.id());
        assertThat(subscriptions.find(id).status()).isEqualTo("active");
    }

    @Test
    void renewalsChargeDueAndEndCanceledSubscriptions() {
        UUID renewed = started("guild-due");
        UUID canceled = started("guild-ending");
        UUID later = started("guild-later");
        subscriptions.cancel(canceled, true);
        due(renewed);
        due(canceled);

        renewals.runOnce();

        assertThat(eventsOf(renewed)).containsExactly("SubscriptionStarted", "PaymentSucceeded");
        assertThat(subscriptions.find(canceled).status()).isEqualTo("canceled");
        assertThat(eventsOf(later)).containsExactly("SubscriptionStarted");
    }

    private UUID started(String guildId) {
        UUID id = subscriptions.order(guildId, Plan.PRO, "user-1");
        ledger.paid(ledger.open(id));
        return id;
    }

    private void due(UUID id) {
        jdbc.sql("UPDATE billing.subscriptions SET next_charge_at = now() WHERE id = :id")
                .param("id", id)
                .update();
    }

    private List<String> eventsOf(UUID id) {
        return jdbc.sql("SELECT event_type FROM events.outbox WHERE aggregate_id = :id ORDER BY aggregate_seq")
                .param("id", id.toString())
                .query(String.class)
                .list();
    }
}
