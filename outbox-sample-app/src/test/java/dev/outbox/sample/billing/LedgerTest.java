package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.time.ZoneId;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@SampleTest
@Import(EveryGuild.class)
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

    private BillingTables tables;

    @BeforeEach
    void connect() {
        tables = new BillingTables(jdbc);
    }

    @Test
    void rolledBackBookingLeavesNeitherStateNorEvent() {
        Charge charge = subscriptions.order("guild-rollback", Plan.PRO, "user-1", null);

        transaction.executeWithoutResult((status) -> {
            ledger.paid(charge);
            status.setRollbackOnly();
        });

        UUID id = charge.subscriptionId();
        assertThat(subscriptions.find(id).status()).isEqualTo("pending");
        assertThat(tables.eventsOf(id)).isEmpty();
    }

    @Test
    void chargeIsBookedOnce() {
        Charge charge = subscriptions.order("guild-once", Plan.PRO, "user-1", null);

        Subscription paid = ledger.paid(charge);

        assertThat(ledger.paid(charge)).isEqualTo(paid);
        assertThat(ledger.declined(charge)).isEqualTo(paid);
        assertThat(tables.eventsOf(charge.subscriptionId())).containsExactly("SubscriptionStarted");
    }

    @Test
    void paidPeriodIsACalendarMonth() {
        Subscription paid = ledger.paid(subscriptions.order("guild-month", Plan.PRO, "user-1", null));

        assertThat(paid.periodEnd())
                .isEqualTo(paid.startedAt()
                        .atZone(ZoneId.systemDefault())
                        .plusMonths(1)
                        .toInstant());
    }

    @Test
    void chargeLeftOpenByCrashIsResumed() {
        Charge charge = subscriptions.order("guild-crash", Plan.PRO, "user-1", null);
        UUID id = charge.subscriptionId();
        subscriptions.makeDue(id);

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
        subscriptions.makeDue(renewed);
        subscriptions.makeDue(canceled);

        renewals.runOnce();
        renewals.runOnce();

        assertThat(tables.eventsOf(renewed)).containsExactly("SubscriptionStarted", "PaymentSucceeded");
        assertThat(subscriptions.find(canceled).status()).isEqualTo("canceled");
        assertThat(tables.eventsOf(canceled))
                .containsExactly("SubscriptionStarted", "SubscriptionCanceled", "SubscriptionSuspended");
        assertThat(tables.eventsOf(later)).containsExactly("SubscriptionStarted");
    }

    private UUID started(String guildId) {
        return ledger.paid(subscriptions.order(guildId, Plan.PRO, "user-1", null))
                .id();
    }
}
