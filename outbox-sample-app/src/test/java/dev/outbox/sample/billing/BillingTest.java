package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BillingEvent.BillingKeyDeleted;
import dev.outbox.EventEnvelope;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Renewals by workers that hold an old list, crash, or meet a subscription that ends. */
@SampleTest
@Import(EveryGuild.class)
class RenewalsTest {

    @LocalServerPort
    private int port;

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
    private JdbcClient jdbc;

    private BillingTables tables;

    @BeforeEach
    void connect() {
        tables = new BillingTables(jdbc);
    }

    @AfterEach
    void endFaults() {
        new Api(port).delete("/demo/faults");
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
        Charge first = subscriptions.order("guild-pending", Plan.PRO, "user-1", null);
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
        Api api = new Api(port);
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
        Charge first = subscriptions.order("guild-" + UUID.randomUUID(), Plan.PRO, "user-1", null);
        Subscription started = charging.collect(first);
        subscriptions.makeDue(started.id());
        return started;
    }
}
