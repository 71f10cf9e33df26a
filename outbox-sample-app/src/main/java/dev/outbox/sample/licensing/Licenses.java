package dev.outbox.sample.licensing;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.LicenseGranted;
import dev.outbox.sample.events.SubscriptionStarted;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.SimplePropertyRowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Grants licenses. */
@Service
class Licenses {

    private static final Logger log = LoggerFactory.getLogger(Licenses.class);

    private static final String GRANT = """
            INSERT INTO licensing.licenses (id, subscription_id, guild_id, plan_code, status)
            VALUES (:id, :subscriptionId, :guildId, :planCode, 'active')
            ON CONFLICT (subscription_id) DO NOTHING
            """;

    private static final String LATEST = """
            SELECT id, subscription_id, guild_id, plan_code, status, granted_at
              FROM licensing.licenses
             ORDER BY granted_at DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Licenses(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /**
     * Grants a license for a new subscription. A subscription has one license, so an event that comes again finds it there and
     * changes nothing. What is published shares the transaction: there is no license without its event.
     */
    @Transactional
    @OutboxHandler(id = "licensing.grant")
    void grant(SubscriptionStarted event) {
        UUID id = UUID.randomUUID();
        int granted = jdbc.sql(GRANT)
                .param("id", id)
                .param("subscriptionId", event.subscriptionId())
                .param("guildId", event.guildId())
                .param("planCode", event.planCode())
                .update();
        if (granted == 1) {
            outbox.publish("license", id.toString(), new LicenseGranted(id, event.guildId(), event.planCode()));
            log.info("guild {} was granted {}", event.guildId(), event.planCode());
        }
    }

    List<License> latest() {
        return jdbc.sql(LATEST)
                .query(new SimplePropertyRowMapper<>(License.class))
                .list();
    }
}
