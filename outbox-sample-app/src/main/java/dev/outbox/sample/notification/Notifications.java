package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Sends messages, one for an event. */
@Service
class Notifications {

    private static final Logger log = LoggerFactory.getLogger(Notifications.class);

    private static final String REMEMBER = """
            INSERT INTO notification.notification_log (event_id, recipient, message)
            VALUES (:eventId, :recipient, :message)
            ON CONFLICT (event_id) DO NOTHING
            """;

    private static final String LATEST = """
            SELECT event_id, recipient, message, sent_at
              FROM notification.notification_log
             ORDER BY sent_at DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;
    private final MeterRegistry meters;

    Notifications(JdbcClient jdbc, MeterRegistry meters) {
        this.jdbc = jdbc;
        this.meters = meters;
    }

    /**
     * Sends a message once for each event. A real messenger would be called instead of the log: if it fails, the transaction rolls back
     * and the outbox retries the event.
     *
     * @param recipientHeader the header of the event that names the recipient
     */
    @Transactional
    void send(EventEnvelope event, String recipientHeader, String message) {
        String recipient = event.headers().get(recipientHeader);
        if (recipient == null) {
            throw new NonRetryableException(event + " names no recipient in its header " + recipientHeader);
        }
        int remembered = jdbc.sql(REMEMBER)
                .param("eventId", event.eventId())
                .param("recipient", recipient)
                .param("message", message)
                .update();
        if (remembered == 1) {
            log.info("to {}: {}", recipient, message);
        } else {
            meters.counter("sample.duplicates", "handler", "notification").increment();
        }
    }

    List<Notification> latest() {
        return jdbc.sql(LATEST).query(Notification.class).list();
    }
}
