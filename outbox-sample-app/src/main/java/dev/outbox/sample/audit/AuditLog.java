package dev.outbox.sample.audit;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import java.sql.Timestamp;
import java.util.List;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Records events, and shows them over HTTP. */
@RestController
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
    private final NamedParameterJdbcOperations batches;

    AuditLog(JdbcClient jdbc, NamedParameterJdbcOperations batches) {
        this.jdbc = jdbc;
        this.batches = batches;
    }

    /** Records a batch of events in one round trip and one commit, and each event once. */
    @Transactional
    @OutboxHandler(id = "audit.record", eventTypes = "*")
    void record(List<EventEnvelope> events) {
        batches.batchUpdate(RECORD, events.stream().map(AuditLog::parameters).toArray(SqlParameterSource[]::new));
    }

    private static SqlParameterSource parameters(EventEnvelope event) {
        return new MapSqlParameterSource()
                .addValue("eventId", event.eventId())
                .addValue("eventType", event.eventType())
                .addValue("aggregateType", event.aggregateType())
                .addValue("aggregateId", event.aggregateId())
                .addValue("payload", event.payload())
                .addValue("traceId", event.headers().get(EventEnvelope.TRACE_ID))
                .addValue("occurredAt", Timestamp.from(event.occurredAt()));
    }

    @GetMapping("/audit")
    List<AuditEntry> latest() {
        return jdbc.sql(LATEST).query(AuditEntry.class).list();
    }

    /** Returns the events of one trace, oldest first. */
    @GetMapping(path = "/audit", params = "trace")
    List<AuditEntry> ofTrace(@RequestParam("trace") String traceId) {
        return jdbc.sql(OF_TRACE)
                .param("traceId", traceId)
                .query(AuditEntry.class)
                .list();
    }
}
