package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.SubscriptionStarted;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.SimplePropertyRowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Sends messages to guilds. */
@Service
class Notifications {

    private static final Logger log = LoggerFactory.getLogger(Notifications.class);

    private static final String REMEMBER = """
            INSERT INTO notification.notifications (event_id, guild_id, message)
            VALUES (:eventId, :guildId, :message)
            ON CONFLICT (event_id) DO NOTHING
            """;

    private static final String LATEST = """
            SELECT event_id, guild_id, message, sent_at
              FROM notification.notifications
             ORDER BY sent_at DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;

    Notifications(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @OutboxHandler(id = "notification.subscription-started")
    void subscriptionStarted(SubscriptionStarted event, EventEnvelope envelope) {
        send(envelope.eventId(), event.guildId(), event.planCode() + " activated");
    }

    List<Notification> latest() {
        return jdbc.sql(LATEST)
                .query(new SimplePropertyRowMapper<>(Notification.class))
                .list();
    }

    /**
     * Sends a message unless it was sent for this event before. A real messenger would be called where the log is written: if it
     * fails, the transaction forgets the message, and the event comes again.
     */
    private void send(UUID eventId, String guildId, String message) {
        int remembered = jdbc.sql(REMEMBER)
                .param("eventId", eventId)
                .param("guildId", guildId)
                .param("message", message)
                .update();
        if (remembered == 1) {
            log.info("to guild {}: {}", guildId, message);
        }
    }
}
