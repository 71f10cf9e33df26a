package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

@SampleTest
@Import(EveryGuild.class)
class SimulatedBankTest {

    @Autowired
    private Bank bank;

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private BillingKeys keys;

    @Autowired
    private JdbcClient jdbc;

    private BillingTables tables;

    private Charge charge;

    @BeforeEach
    void order() {
        tables = new BillingTables(jdbc);
        charge = subscriptions.order("guild-" + UUID.randomUUID(), Plan.PRO, "user-1", null);
    }

    @Test
    void takesMoneyOnceForOneKey() {
        assertThat(bank.collect(charge)).isTrue();
        assertThat(bank.collect(charge)).isTrue();

        assertThat(tables.collectionsFrom(charge.subscriptionId())).containsExactly("paid");
    }

    @Test
    void repeatsItsAnswerAfterKeyIsDeleted() {
        assertThat(bank.collect(charge)).isTrue();

        keys.delete(charge.billingKeyId());

        assertThat(bank.collect(charge)).isTrue();
    }

    @Test
    void declinesCanceledCharge() {
        bank.cancel(charge);
        bank.cancel(charge);

        assertThat(bank.collect(charge)).isFalse();
        assertThat(tables.collectionsFrom(charge.subscriptionId())).containsExactly("canceled");
    }
}
