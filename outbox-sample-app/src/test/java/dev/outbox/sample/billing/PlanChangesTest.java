package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.server.ResponseStatusException;

@SampleTest
@Import(EveryGuild.class)
class PlanChangesTest {

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private Charging charging;

    @Autowired
    private Charges charges;

    @Autowired
    private JdbcClient jdbc;

    @LocalServerPort
    private int port;

    private Api api;
    private BillingTables tables;

    private UUID id;

    @BeforeEach
    void start() {
        api = new Api(port);
        tables = new BillingTables(jdbc);
        id = charging.collect(subscriptions.order("guild-" + UUID.randomUUID(), Plan.PRO, "user-1", null))
                .id();
        subscriptions.makeDue(id);
    }

    @Test
    void unpaidPeriodAllowsNoUpgrade() {
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
    void upgradeIsChargedTheDifference() {
        Subscription upgraded = charging.changePlan(id, Plan.TEAM);
        charging.charge(id);

        assertThat(upgraded.planCode()).isEqualTo("team");
        assertThat(tables.amountsOf(id)).containsExactly("9900 KRW", "20000 KRW", "29900 KRW");
        assertThat(tables.eventsOf(id)).containsExactly("SubscriptionStarted", "PlanUpgraded", "PaymentSucceeded");
    }

    @Test
    void currentPlanWithdrawsDowngrade() {
        charging.changePlan(id, Plan.BASIC);

        Subscription kept = charging.changePlan(id, Plan.PRO);

        assertThat(kept.nextPlanCode()).isNull();
        assertThat(charging.charge(id).planCode()).isEqualTo("pro");
        assertThat(tables.eventsOf(id)).containsExactly("SubscriptionStarted", "PlanDowngraded", "PaymentSucceeded");
    }

    @Test
    void openChargeAllowsNoChangeOfPlan() {
        charging.changePlan(id, Plan.BASIC);
        Charge lower = charges.claim(id).orElseThrow();

        for (Plan plan : List.of(Plan.BASIC, Plan.PRO, Plan.TEAM)) {
            assertThatThrownBy(() -> charging.changePlan(id, plan))
                    .isInstanceOf(ResponseStatusException.class)
                    .hasMessageContainingAll("409 CONFLICT", "under way");
        }
        Subscription renewed = charging.collect(lower);

        assertThat(renewed.planCode()).isEqualTo("basic");
        assertThat(renewed.nextPlanCode()).isNull();
        assertThat(charging.changePlan(id, Plan.TEAM).planCode()).isEqualTo("team");
        assertThat(tables.eventsOf(id))
                .containsExactly("SubscriptionStarted", "PlanDowngraded", "PaymentSucceeded", "PlanUpgraded");
    }
}
