package dev.outbox.sample.billing;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.BillingEvent;
import dev.outbox.sample.events.BillingEvent.BillingKeyDeleted;
import dev.outbox.sample.events.BillingEvent.BillingKeyIssued;
import dev.outbox.sample.web.NotFoundException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Issues billing keys, and deletes them over HTTP. */
@RestController
class BillingKeys {

    private static final String ISSUE = """
            INSERT INTO billing.billing_keys (id, user_id, auth_key)
            VALUES (:id, :userId, :authKey)
            """;

    private static final String DELETE = """
            UPDATE billing.billing_keys
               SET status = 'deleted'
             WHERE id = :id
               AND status = 'issued'
            """;

    private static final String FIND = """
            SELECT id, user_id, status, issued_at
              FROM billing.billing_keys
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    BillingKeys(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    UUID issue(String userId, @Nullable String authKey) {
        UUID id = UUID.randomUUID();
        jdbc.sql(ISSUE)
                .param("id", id)
                .param("userId", userId)
                .param("authKey", authKey)
                .update();
        publish(id, new BillingKeyIssued(userId, id));
        return id;
    }

    @Transactional
    @DeleteMapping("/billing-keys/{id}")
    BillingKey delete(@PathVariable UUID id) {
        BillingKey key = find(id);
        if (jdbc.sql(DELETE).param("id", id).update() == 1) {
            publish(id, new BillingKeyDeleted(key.userId(), id));
        }
        return find(id);
    }

    private BillingKey find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(BillingKey.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("billing key", id));
    }

    private void publish(UUID id, BillingEvent event) {
        outbox.publish("billing_key", id.toString(), event);
    }
}
