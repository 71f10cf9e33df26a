package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

@SampleTest
class SubscriptionsTest {

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void rolledBackSubscriptionLeavesNothing() {
        Subscription subscription = transaction.execute((status) -> {
            status.setRollbackOnly();
            return subscriptions.start("guild-rollback", "pro");
        });

        assertThat(subscriptions.find(subscription.id())).isEmpty();
        assertThat(eventsOf(subscription)).isZero();
    }

    @Test
    void startedSubscriptionHasItsEvent() {
        Subscription subscription = subscriptions.start("guild-commit", "pro");

        assertThat(subscriptions.find(subscription.id())).contains(subscription);
        assertThat(eventsOf(subscription)).isOne();
    }

    private long eventsOf(Subscription subscription) {
        return jdbc.sql("SELECT count(*) FROM events.outbox WHERE aggregate_id = :id")
                .param("id", subscription.id().toString())
                .query(Long.class)
                .single();
    }
}
