package dev.outbox.sample.notification;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Log of all messages, one for an event. Each statement is a transaction of its own. */
@Component
final class NotificationLog {

    /** Returns the stored message, so that every attempt sends the same one under the same key. */
    private static final String REQUEST = """
            INSERT INTO notification.notification_log (event_id, recipient, message)
            VALUES (:eventId, :recipient, :message)
            ON CONFLICT (event_id) DO UPDATE
               SET state = 'requested'
             WHERE notification_log.state <> 'sent'
            RETURNING event_id, recipient, message, state, requested_at, sent_at
            """;

    private static final String MARK_SENT = """
            UPDATE notification.notification_log
               SET state = 'sent', sent_at = now()
             WHERE event_id = :eventId
               AND state <> 'sent'
            """;

    private static final String LATEST = """
            SELECT event_id, recipient, message, state, requested_at, sent_at
              FROM notification.notification_log
             ORDER BY requested_at DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;

    NotificationLog(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Stores the message of an event, unless it is stored already, and returns it; empty if it was already sent. */
    Optional<Notification> request(UUID eventId, String recipient, String message) {
        return jdbc.sql(REQUEST)
                .param("eventId", eventId)
                .param("recipient", recipient)
                .param("message", message)
                .query(Notification.class)
                .optional();
    }

    void markSent(UUID eventId) {
        jdbc.sql(MARK_SENT).param("eventId", eventId).update();
    }

    List<Notification> latest() {
        return jdbc.sql(LATEST).query(Notification.class).list();
    }
}
