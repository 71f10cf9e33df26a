package dev.outbox.sample.audit;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import java.sql.Timestamp;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** Records events. */
@Service
class AuditLog {

    private static final String RECORD = """
            INSERT INTO audit.entries (outbox_event_id, event_type, aggregate_type, aggregate_id, payload, trace_id, occurred_at)
            VALUES (:eventId, :eventType, :aggregateType, :aggregateId, CAST(:payload AS jsonb), :traceId, :occurredAt)
            ON CONFLICT (outbox_event_id) DO NOTHING
            """;

    private static final String LATEST = """
            SELECT outbox_event_id, event_type, aggregate_type, aggregate_id, payload, trace_id, occurred_at, recorded_at
              FROM audit.entries
             ORDER BY id DESC
             LIMIT 100
            """;

    private static final String OF_TRACE = """
            SELECT outbox_event_id, event_type, aggregate_type, aggregate_id, payload, trace_id, occurred_at, recorded_at
              FROM audit.entries
             WHERE trace_id = :traceId
             ORDER BY id
            """;

    private final JdbcClient jdbc;

    AuditLog(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Records each event once. A single statement needs no surrounding transaction. */
    @OutboxHandler(id = "audit.record", eventTypes = "*")
    void record(EventEnvelope event) {
        jdbc.sql(RECORD)
                .param("eventId", event.eventId())
                .param("eventType", event.eventType())
                .param("aggregateType", event.aggregateType())
                .param("aggregateId", event.aggregateId())
                .param("payload", event.payload())
                .param("traceId", event.headers().get(EventEnvelope.TRACE_ID))
                .param("occurredAt", Timestamp.from(event.occurredAt()))
                .update();
    }

    List<AuditEntry> latest() {
        return jdbc.sql(LATEST).query(AuditEntry.class).list();
    }

    /** Returns the events of one trace, oldest first. */
    List<AuditEntry> ofTrace(String traceId) {
        return jdbc.sql(OF_TRACE)
                .param("traceId", traceId)
                .query(AuditEntry.class)
                .list();
    }
}
