package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.sample.SampleTest;
import dev.outbox.sample.billing.SubscriptionController.StartSubscription;
import dev.outbox.sample.events.BillingEvent.BillingKeyDeleted;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What billing asks of a bank of your own, while its answers get lost or two workers repeat one charge. */
@SampleTest
@Import(EveryGuild.class)
@TestPropertySource(properties = {"sample.billing.bank=recording", "sample.billing.period=20s"})
class ChargingTest {

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private Suspensions suspensions;

    @Autowired
    private SubscriptionController controller;

    @Autowired
    private Charges charges;

    @Autowired
    private Charging charging;

    @Autowired
    private Renewals renewals;

    @Autowired
    private RecordingBank bank;

    @Autowired
    private JdbcClient jdbc;

    private BillingTables tables;

    @BeforeEach
    void connect() {
        tables = new BillingTables(jdbc);
    }

    @Test
    void booksOnceWhenTwoWorkersRepeatOneCharge() throws Exception {
        UUID id = dueSubscription();
        Charge open = charges.claim(id).orElseThrow();
        bank.meeting = new CyclicBarrier(2);
        Executor ownThreads = (task) -> new Thread(task).start();
        CompletableFuture<Subscription> one = CompletableFuture.supplyAsync(() -> charging.collect(open), ownThreads);
        CompletableFuture<Subscription> two = CompletableFuture.supplyAsync(() -> charging.collect(open), ownThreads);

        assertThat(one.get(90, TimeUnit.SECONDS)).isEqualTo(two.get(90, TimeUnit.SECONDS));

        bank.meeting = null;
        assertThat(tables.eventsOf(id)).containsExactly("SubscriptionStarted", "PaymentSucceeded");
        assertThat(tables.chargesOf(id)).containsExactly("succeeded", "succeeded");
    }

    @Test
    void failingSubscriptionDoesNotStopTheOthers() {
        UUID failing = dueSubscription();
        UUID other = dueSubscription();
        bank.losesAnswersOf.add(failing);

        renewals.runOnce();

        assertThat(tables.eventsOf(other)).containsExactly("SubscriptionStarted", "PaymentSucceeded");
        assertThat(tables.chargesOf(failing)).containsExactly("succeeded", "open");
    }

    @Test
    void callsBankOutsideTransactions() {
        dueSubscription();

        renewals.runOnce();

        assertThat(bank.calls).isNotEmpty();
        assertThat(bank.callsInTransaction).isEmpty();
    }

    @Test
    void subscriptionThatEndsDuringItsFirstPaymentIsNotReportedAsDeclined() {
        bank.meanwhile = (charge) -> suspensions.keyDeleted(new BillingKeyDeleted("user-1", charge.billingKeyId()));
        try {
            assertThatThrownBy(this::start)
                    .hasMessageContainingAll("409 CONFLICT", "is suspended")
                    .hasMessageNotContaining("declined");
        } finally {
            bank.meanwhile = (charge) -> {};
        }
    }

    @Test
    void everyPaymentExtendsThePaidTimeByThePeriod() {
        Subscription renewed = charging.charge(dueSubscription());

        assertThat(renewed.periodEnd()).isEqualTo(renewed.startedAt().plusSeconds(40));
    }

    private void start() {
        controller.start(new StartSubscription("guild-" + UUID.randomUUID(), "pro", "user-1", null));
    }

    private UUID dueSubscription() {
        Charge first = subscriptions.order("guild-" + UUID.randomUUID(), Plan.PRO, "user-1", null);
        charging.collect(first);
        subscriptions.makeDue(first.subscriptionId());
        return first.subscriptionId();
    }

    static final class RecordingBank implements Bank {

        final List<Charge> calls = new CopyOnWriteArrayList<>();
        final List<Charge> callsInTransaction = new CopyOnWriteArrayList<>();
        final Set<UUID> losesAnswersOf = ConcurrentHashMap.newKeySet();
        volatile CyclicBarrier meeting;
        volatile Consumer<Charge> meanwhile = (charge) -> {};

        @Override
        public boolean collect(Charge charge) {
            calls.add(charge);
            if (TransactionSynchronizationManager.isActualTransactionActive()) {
                callsInTransaction.add(charge);
            }
            CyclicBarrier barrier = meeting;
            if (barrier != null) {
                try {
                    barrier.await(60, TimeUnit.SECONDS);
                } catch (Exception ex) {
                    throw new IllegalStateException("the other worker did not call the bank", ex);
                }
            }
            if (losesAnswersOf.contains(charge.subscriptionId())) {
                throw new IllegalStateException("answer lost");
            }
            meanwhile.accept(charge);
            return true;
        }

        @Override
        public void cancel(Charge charge) {
            throw new UnsupportedOperationException();
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class BankConfiguration {

        @Bean
        RecordingBank recordingBank() {
            return new RecordingBank();
        }
    }
}
