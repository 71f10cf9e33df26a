package dev.outbox.sample.notification;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Log of all messages, one for an event. A message is requested, then sent or failed. */
@RestController
final class NotificationLog {

    /** Returns the stored message, so that every attempt sends the same one under the same key. */
    private static final String REQUEST = """
            INSERT INTO notification.notification_log (event_id, recipient, message)
            VALUES (:eventId, :recipient, :message)
            ON CONFLICT (event_id) DO UPDATE
               SET state = 'requested',
                   recipient = coalesce(notification_log.recipient, excluded.recipient),
                   message = coalesce(notification_log.message, excluded.message),
                   failure = NULL
             WHERE notification_log.state <> 'sent'
            RETURNING event_id, recipient, message
            """;

    private static final String MARK_SENT = """
            UPDATE notification.notification_log
               SET state = 'sent', sent_at = now(), failure = NULL
             WHERE event_id = :eventId
               AND state <> 'sent'
            """;

    /** The event may have failed before its message was stored. */
    private static final String MARK_FAILED = """
            INSERT INTO notification.notification_log (event_id, state, failure)
            VALUES (:eventId, 'failed', :failure)
            ON CONFLICT (event_id) DO UPDATE
               SET state = 'failed', failure = excluded.failure
             WHERE notification_log.state <> 'sent'
            """;

    private static final String LATEST = """
            SELECT event_id, recipient, message, state, failure, requested_at, sent_at
              FROM notification.notification_log
             ORDER BY requested_at DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;

    NotificationLog(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Stores the message of an event, unless it is stored already, and returns it; empty if it was already sent. */
    Optional<Request> request(UUID eventId, String recipient, String message) {
        return jdbc.sql(REQUEST)
                .param("eventId", eventId)
                .param("recipient", recipient)
                .param("message", message)
                .query(Request.class)
                .optional();
    }

    void markSent(UUID eventId) {
        jdbc.sql(MARK_SENT).param("eventId", eventId).update();
    }

    /** Joins the transaction of the caller, if there is one. */
    void markFailed(UUID eventId, String failure) {
        jdbc.sql(MARK_FAILED)
                .param("eventId", eventId)
                .param("failure", failure)
                .update();
    }

    @GetMapping("/notifications")
    List<Notification> latest() {
        return jdbc.sql(LATEST).query(Notification.class).list();
    }

    record Request(UUID eventId, String recipient, String message) {}
}
