package dev.outbox.sample.billing;

import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tables of billing, and the events about subscriptions. */
record BillingTables(JdbcClient jdbc) {

    /** Status of every charge of a subscription, in the order of periods and attempts. */
    List<String> chargesOf(UUID subscriptionId) {
        return list(
                "SELECT status FROM billing.charges WHERE subscription_id = :id ORDER BY period, attempt",
                subscriptionId);
    }

    /** Answer of the simulated bank to every charge of a subscription. */
    List<String> collectionsFrom(UUID subscriptionId) {
        return list("""
                SELECT collection.status
                  FROM billing.simulated_collections collection
                  JOIN billing.charges charge ON charge.id = collection.charge_id
                 WHERE charge.subscription_id = :id
                 ORDER BY charge.period, charge.attempt
                """, subscriptionId);
    }

    List<String> eventsOf(UUID subscriptionId) {
        return jdbc.sql("SELECT event_type FROM events.outbox WHERE aggregate_id = :id ORDER BY aggregate_seq")
                .param("id", subscriptionId.toString())
                .query(String.class)
                .list();
    }

    private List<String> list(String sql, UUID id) {
        return jdbc.sql(sql).param("id", id).query(String.class).list();
    }
}
