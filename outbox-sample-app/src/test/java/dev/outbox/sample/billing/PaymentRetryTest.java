package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.operations.ScheduledEvents;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import dev.outbox.test.autoconfigure.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The scheduled event that charges again after a failed payment. */
@SampleTest
@Import(EveryGuild.class)
@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)
class PaymentRetryTest {

    private static final Duration DAY = Duration.ofDays(1);

    @Autowired
    private Api api;

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private Charging charging;

    @Autowired
    private Renewals renewals;

    @Autowired
    private OutboxTester outbox;

    @Autowired
    private ScheduledEvents scheduled;

    @Autowired
    private JdbcClient jdbc;

    private BillingTables tables;

    @BeforeEach
    void connect() {
        tables = new BillingTables(jdbc);
    }

    @Test
    void chargesAgainADayAfterAFailure() {
        UUID id = pastDueSubscription();

        outbox.advance(DAY.minusMinutes(1)).drain();
        assertThat(tables.collectionsFrom(id)).containsExactly("paid", "declined");
        outbox.advance(Duration.ofMinutes(1)).drain();

        assertThat(tables.collectionsFrom(id)).containsExactly("paid", "declined", "paid");
        assertThat(tables.eventsOf(id))
                .containsExactly("SubscriptionStarted", "PaymentFailed", "PaymentRetryDue", "PaymentSucceeded");
        assertThat(subscriptions.find(id).status()).isEqualTo("active");
        assertThat(subscriptions.find(id).retryCount()).isZero();
    }

    @Test
    void failureOfARetrySchedulesTheNextOne() {
        UUID id = pastDueSubscription();
        api.gateway("bank", "DECLINE");

        for (int retry = 1; retry <= 3; retry++) {
            outbox.advance(DAY).drain();
        }

        assertThat(tables.collectionsFrom(id)).containsExactly("paid", "declined", "declined", "declined", "declined");
        assertThat(subscriptions.find(id).status()).isEqualTo("canceled");
        assertThat(scheduledRetries(id)).isZero();
    }

    @Test
    void paymentWithdrawsTheRetry() {
        UUID id = pastDueSubscription();
        assertThat(scheduledRetries(id)).isOne();
        subscriptions.makeDue(id);

        charging.charge(id);

        assertThat(scheduledRetries(id)).isZero();
        outbox.advance(DAY).drain();
        assertThat(tables.collectionsFrom(id)).containsExactly("paid", "declined", "paid");
    }

    @Test
    void redeliveredRetryCountsNoSecondFailure() {
        UUID id = pastDueSubscription();
        api.gateway("bank", "DECLINE");
        outbox.advance(DAY).drain();

        charging.retry(new PaymentRetryDue(id, 1));

        assertThat(subscriptions.find(id).retryCount()).isEqualTo(2);
        assertThat(tables.collectionsFrom(id)).containsExactly("paid", "declined", "declined");
    }

    @Test
    void retryWithoutAnAnswerRepeatsItsCharge() {
        UUID id = pastDueSubscription();
        api.gateway("bank", "LOSE_ANSWER");
        outbox.advance(DAY).drain();
        assertThat(subscriptions.find(id).status()).isEqualTo("past_due");
        api.gateway("bank", "DECLINE");

        outbox.advance(Duration.ofMinutes(1)).drain();

        assertThat(subscriptions.find(id).status()).isEqualTo("active");
        assertThat(tables.chargesOf(id)).containsExactly("succeeded", "failed", "succeeded");
    }

    @Test
    void renewalsLeaveAFailedPaymentToItsRetry() {
        UUID id = pastDueSubscription();
        subscriptions.makeDue(id);

        renewals.runOnce();

        assertThat(tables.collectionsFrom(id)).containsExactly("paid", "declined");
    }

    private UUID pastDueSubscription() {
        Charge first = subscriptions.order("guild-" + UUID.randomUUID(), Plan.PRO, "user-1", null);
        UUID id = charging.collect(first).id();
        subscriptions.makeDue(id);
        api.gateway("bank", "DECLINE");
        charging.charge(id);
        api.gateway("bank", "NONE");
        return id;
    }

    private int scheduledRetries(UUID id) {
        return scheduled.find("subscription", id.toString(), 10).size();
    }
}
