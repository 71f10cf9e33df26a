package dev.outbox.sample.billing;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.SubscriptionStarted;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Starts subscriptions. */
@Service
class Subscriptions {

    private static final String START = """
            INSERT INTO billing.subscriptions (id, guild_id, plan_code, status)
            VALUES (:id, :guildId, :planCode, 'active')
            RETURNING id, guild_id, plan_code, status, started_at
            """;

    private static final String FIND = """
            SELECT id, guild_id, plan_code, status, started_at
              FROM billing.subscriptions
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Subscriptions(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /** Stores the subscription and its event in one transaction: either both are there, or neither is. */
    @Transactional
    Subscription start(String guildId, String planCode) {
        UUID id = UUID.randomUUID();
        Subscription subscription = jdbc.sql(START)
                .param("id", id)
                .param("guildId", guildId)
                .param("planCode", planCode)
                .query(Subscription.class)
                .single();
        outbox.publish("subscription", id.toString(), new SubscriptionStarted(id, guildId, planCode));
        return subscription;
    }

    Optional<Subscription> find(UUID id) {
        return jdbc.sql(FIND).param("id", id).query(Subscription.class).optional();
    }
}
