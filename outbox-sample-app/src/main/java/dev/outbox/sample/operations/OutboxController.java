package dev.outbox.sample.operations;

import java.util.List;
import org.springframework.jdbc.core.SimplePropertyRowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The outbox over HTTP, as its view for people shows it. */
@RestController
final class OutboxController {

    private static final String LATEST = """
            SELECT id, event_id, event_type, aggregate_type || '/' || aggregate_id AS aggregate, aggregate_seq, status,
                   locked_by, retry_count, next_retry_at, last_error, occurred_at, published_at
              FROM events.outbox_status
             ORDER BY id DESC
             LIMIT 100
            """;

    private final JdbcClient jdbc;

    OutboxController(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/outbox")
    List<OutboxEntry> latest() {
        return jdbc.sql(LATEST)
                .query(new SimplePropertyRowMapper<>(OutboxEntry.class))
                .list();
    }
}
