package dev.outbox.sample.operations;

import dev.outbox.sample.events.Envelope;
import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The view {@code outbox_status} over HTTP. */
@RestController
final class OutboxController {

    private static final String ENTRIES = """
            SELECT id, event_id, stream, event_type, aggregate_type || '/' || aggregate_id AS aggregate, aggregate_seq, status,
                   locked_by, claimed_at, locked_until, publish_attempt, attempt_count, retry_count, next_retry_at,
                   last_attempt_at, last_error_code, last_error, created_at, updated_at, occurred_at, published_at
              FROM events.outbox_status
            """;

    private static final String LATEST = ENTRIES + """
             ORDER BY id DESC
             LIMIT 100
            """;

    /** Reads every event, which suits a sample but not a production system. */
    private static final String OF_TRACE = ENTRIES + """
             WHERE id IN (SELECT id
                            FROM events.outbox
                           WHERE headers ->> 'traceId' = :traceId)
             ORDER BY id
            """;

    private static final String ENVELOPE = """
            SELECT schema_version, event_id, event_type AS type, occurred_at,
                   headers ->> 'traceId' AS trace_id,
                   headers ->> 'ownerId' AS owner_id,
                   headers ->> 'strategyKey' AS strategy_key,
                   headers ->> 'market' AS market,
                   payload
              FROM events.outbox
             WHERE event_id = :eventId
            """;

    private final JdbcClient jdbc;

    OutboxController(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/events")
    List<OutboxEntry> latest() {
        return jdbc.sql(LATEST).query(OutboxEntry.class).list();
    }

    /** Returns the events of one trace, oldest first. */
    @GetMapping(path = "/events", params = "trace")
    List<OutboxEntry> ofTrace(@RequestParam String trace) {
        return jdbc.sql(OF_TRACE)
                .param("traceId", trace)
                .query(OutboxEntry.class)
                .list();
    }

    @GetMapping("/events/{eventId}")
    Envelope envelope(@PathVariable UUID eventId) {
        return jdbc.sql(ENVELOPE)
                .param("eventId", eventId)
                .query(Envelope.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("event", eventId));
    }
}
