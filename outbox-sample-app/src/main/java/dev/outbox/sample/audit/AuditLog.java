package dev.outbox.sample.audit;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import java.sql.Timestamp;
import java.util.List;
import org.springframework.jdbc.core.SimplePropertyRowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** Records events. */
@Service
final class AuditLog {

    private static final String RECORD = """
            INSERT INTO audit.entries (outbox_event_id, event_type, aggregate_type, aggregate_id, payload, occurred_at)
            VALUES (:eventId, :eventType, :aggregateType, :aggregateId, CAST(:payload AS jsonb), :occurredAt)
            ON CONFLICT (outbox_event_id) DO NOTHING
            """;

    private static final String LATEST = """
            SELECT outbox_event_id, event_type, aggregate_type, aggregate_id, payload, occurred_at, recorded_at
              FROM audit.entries
             ORDER BY id DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;

    AuditLog(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Records any event, once: one statement needs no transaction around it. */
    @OutboxHandler(id = "audit.record", eventTypes = "*")
    void record(EventEnvelope event) {
        jdbc.sql(RECORD)
                .param("eventId", event.eventId())
                .param("eventType", event.eventType())
                .param("aggregateType", event.aggregateType())
                .param("aggregateId", event.aggregateId())
                .param("payload", event.payload())
                .param("occurredAt", Timestamp.from(event.occurredAt()))
                .update();
    }

    List<AuditEntry> latest() {
        return jdbc.sql(LATEST)
                .query(new SimplePropertyRowMapper<>(AuditEntry.class))
                .list();
    }
}
