package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Api;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BillingEvent.BillingKeyDeleted;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.server.ResponseStatusException;

/** Charges that are booked, resumed after a crash, or meet a subscription that ends or changes. */
@SampleTest
@Import(EveryGuild.class)
class BillingTest {

    @Autowired
    private Api api;

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private Suspensions suspensions;

    @Autowired
    private Charges charges;

    @Autowired
    private Charging charging;

    @Autowired
    private Ledger ledger;

    @Autowired
    private Renewals renewals;

    @Autowired
    private Bank bank;

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
        Charge charge = order();

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
        Charge charge = order();

        Subscription paid = ledger.paid(charge);

        assertThat(ledger.paid(charge)).isEqualTo(paid);
        assertThat(ledger.declined(charge)).isEqualTo(paid);
        assertThat(tables.eventsOf(charge.subscriptionId())).containsExactly("SubscriptionStarted");
    }

    @Test
    void paidTimeIsCountedInCalendarMonthsFromTheStart() {
        Subscription renewed = charging.charge(dueSubscription().id());

        assertThat(renewed.periodEnd())
                .isEqualTo(renewed.startedAt()
                        .atZone(ZoneId.systemDefault())
                        .plusMonths(2)
                        .toInstant());
    }

    @Test
    void chargeLeftOpenByCrashIsResumed() {
        Charge charge = order();
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
        UUID renewed = dueSubscription().id();
        UUID canceled = dueSubscription().id();
        UUID later = ledger.paid(order()).id();
        subscriptions.cancel(canceled, true);
        subscriptions.makeDue(canceled);

        renewals.runOnce();
        renewals.runOnce();

        assertThat(tables.eventsOf(renewed)).containsExactly("SubscriptionStarted", "PaymentSucceeded");
        assertThat(subscriptions.find(canceled).status()).isEqualTo("canceled");
        assertThat(tables.eventsOf(canceled))
                .containsExactly("SubscriptionStarted", "SubscriptionCanceled", "SubscriptionSuspended");
        assertThat(tables.eventsOf(later)).containsExactly("SubscriptionStarted");
    }

    @Test
    void claimLeasesSubscriptionUntilCrashedWorkerIsGivenUp() {
        UUID id = dueSubscription().id();
        Charge claimed = charges.claim(id).orElseThrow();

        assertThat(charges.claim(id)).isEmpty();

        subscriptions.makeDue(id);
        assertThat(charges.claim(id)).contains(claimed);
    }

    @Test
    void repeatedChargeIsLeftToTheWorkerThatClaimedItLast() {
        Subscription subscription = dueSubscription();
        UUID id = subscription.id();
        charges.claim(id);
        subscriptions.makeDue(id);
        Charge repeated = charges.claim(id).orElseThrow();
        suspensions.keyDeleted(new BillingKeyDeleted("user-1", subscription.billingKeyId()));

        assertThat(charges.orphaned()).doesNotContain(repeated);

        subscriptions.makeDue(id);
        assertThat(charges.orphaned()).contains(repeated);
    }

    @Test
    void databaseRefusesSecondChargeOfPaidPeriod() {
        UUID id = dueSubscription().id();
        charging.charge(id);

        assertThatThrownBy(() -> jdbc.sql("""
                        INSERT INTO billing.charges (id, subscription_id, billing_key_id, plan_code, amount, currency, period, attempt)
                        SELECT gen_random_uuid(), subscription_id, billing_key_id, plan_code, amount, currency, period, attempt + 1
                          FROM billing.charges
                         WHERE subscription_id = :id
                           AND period = 2
                        """).param("id", id).update())
                .isInstanceOf(DuplicateKeyException.class)
                .hasMessageContaining("charges_period_once");
    }

    @Test
    void cancelsChargeWhoseSubscriptionEndedBeforeBooking() {
        Subscription subscription = dueSubscription();
        UUID id = subscription.id();
        Charge charge = charges.claim(id).orElseThrow();
        bank.collect(charge);
        suspensions.keyDeleted(new BillingKeyDeleted("user-1", subscription.billingKeyId()));
        ledger.paid(charge);
        subscriptions.makeDue(id);

        renewals.runOnce();

        assertThat(tables.collectionsFrom(id)).containsExactly("paid", "canceled");
        assertThat(tables.chargesOf(id)).containsExactly("succeeded", "canceled");
        assertThat(bank.collect(charge)).isFalse();
        assertThat(tables.eventsOf(id)).containsExactly("SubscriptionStarted", "SubscriptionSuspended");
    }

    @Test
    void deletedKeySuspendsSubscriptionBeforeItsFirstPayment() {
        Charge first = order();
        suspensions.keyDeleted(new BillingKeyDeleted("user-1", first.billingKeyId()));

        Subscription subscription = ledger.paid(first);

        assertThat(subscription.status()).isEqualTo("suspended");
        assertThat(tables.eventsOf(subscription.id())).containsExactly("SubscriptionSuspended");
    }

    @Test
    void endingSubscriptionFinishesItsOpenChargeFirst() {
        UUID id = dueSubscription().id();
        bank.collect(charges.claim(id).orElseThrow());
        subscriptions.cancel(id, true);
        subscriptions.makeDue(id);

        renewals.runOnce();

        assertThat(tables.chargesOf(id)).containsExactly("succeeded", "succeeded");
        assertThat(subscriptions.find(id).status()).isEqualTo("active");
    }

    @Test
    void failedPaymentOfEndingSubscriptionAnnouncesNoRetry() {
        UUID id = UUID.fromString(api.subscribe("guild-leaving", "pro"));
        api.gateway("bank", "DECLINE");
        subscriptions.makeDue(id);
        charges.claim(id);
        api.delete("/subscriptions/" + id);
        subscriptions.makeDue(id);

        renewals.runOnce();
        renewals.runOnce();

        assertThat(subscriptions.find(id).status()).isEqualTo("canceled");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.messagesTo("user-of-guild-leaving"))
                        .contains("payment failed, and the subscription ends"));
    }

    @Test
    void unpaidPeriodAllowsNoUpgrade() {
        UUID id = dueSubscription().id();
        api.gateway("bank", "DECLINE");
        charging.charge(id);
        api.gateway("bank", "NONE");

        assertThatThrownBy(() -> charging.changePlan(id, Plan.TEAM))
                .isInstanceOf(ResponseStatusException.class)
                .hasMessageContaining("past due");

        assertThat(subscriptions.find(id).planCode()).isEqualTo("pro");
        assertThat(tables.eventsOf(id)).containsExactly("SubscriptionStarted", "PaymentFailed");
    }

    @Test
    void currentPlanWithdrawsDowngrade() {
        UUID id = dueSubscription().id();
        charging.changePlan(id, Plan.BASIC);

        Subscription kept = charging.changePlan(id, Plan.PRO);

        assertThat(kept.nextPlanCode()).isNull();
        assertThat(charging.charge(id).planCode()).isEqualTo("pro");
        assertThat(tables.eventsOf(id)).containsExactly("SubscriptionStarted", "PlanDowngraded", "PaymentSucceeded");
    }

    @ParameterizedTest
    @CsvSource({"0, suspended", "1, active"})
    void kickSuspendsSubscriptionsThatStartedBefore(int hoursAgo, String status) {
        Subscription subscription = dueSubscription();
        String guild = subscription.guildId();
        EventEnvelope kick = Envelopes.of(
                "guild", guild, 2, "BotKicked", "{}", Map.of(), Instant.now().minus(Duration.ofHours(hoursAgo)));

        suspensions.botKicked(new BotKicked(guild), kick);
        suspensions.botKicked(new BotKicked(guild), kick);

        assertThat(subscriptions.find(subscription.id()).status()).isEqualTo(status);
        assertThat(tables.eventsOf(subscription.id()))
                .isEqualTo(
                        status.equals("active")
                                ? List.of("SubscriptionStarted")
                                : List.of("SubscriptionStarted", "SubscriptionSuspended"));
    }

    private Subscription dueSubscription() {
        Subscription started = charging.collect(order());
        subscriptions.makeDue(started.id());
        return started;
    }

    private Charge order() {
        return subscriptions.order("guild-" + UUID.randomUUID(), Plan.PRO, "user-1", null);
    }
}
