package dev.outbox.sample.operations;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The outbox over HTTP, as its view for people shows it. */
@RestController
final class OutboxController {

    private static final String LATEST = """
            SELECT id, event_id, stream, event_type, aggregate_type || '/' || aggregate_id AS aggregate, aggregate_seq, status,
                   locked_by, retry_count, next_retry_at, last_error_code, last_error, occurred_at, published_at
              FROM events.outbox_status
             ORDER BY id DESC
             LIMIT 100
            """;

    /** Looks at every event: for a sample that is fine, and nobody else should ask for this. */
    private static final String OF_TRACE = """
            SELECT id, event_id, stream, event_type, aggregate_type || '/' || aggregate_id AS aggregate, aggregate_seq, status,
                   locked_by, retry_count, next_retry_at, last_error_code, last_error, occurred_at, published_at
              FROM events.outbox_status
             WHERE id IN (SELECT id
                            FROM events.outbox
                           WHERE headers ->> 'traceId' = :traceId)
             ORDER BY id
            """;

    private final JdbcClient jdbc;

    OutboxController(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/outbox")
    List<OutboxEntry> latest() {
        return jdbc.sql(LATEST).query(OutboxEntry.class).list();
    }

    /** What one request has led to, the earliest first. */
    @GetMapping(path = "/outbox", params = "trace")
    List<OutboxEntry> ofTrace(@RequestParam String trace) {
        return jdbc.sql(OF_TRACE)
                .param("traceId", trace)
                .query(OutboxEntry.class)
                .list();
    }
}
