package dev.outbox.spring.guides;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** Moves the events that the old table still holds. */
class OldEvents {

    private final JdbcClient jdbc;
    private final JsonMapper json;
    private final OutboxPublisher outbox;

    OldEvents(JdbcClient jdbc, JsonMapper json, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.json = json;
        this.outbox = outbox;
    }

    record Row(long id, String orderId, String payload, OffsetDateTime createdAt) {

        UUID eventId() {
            return UUID.nameUUIDFromBytes(("order_event " + id).getBytes(StandardCharsets.UTF_8));
        }
    }

    @Transactional
    public int move() {
        List<Row> rows = jdbc.sql("SELECT id, order_id, payload, created_at FROM order_event"
                        + " WHERE processed_at IS NULL ORDER BY id LIMIT 1000 FOR UPDATE")
                .query(Row.class)
                .list();
        outbox.publishAll(rows.stream()
                .map((row) -> OutboxEvent.of("order", row.orderId(), json.readTree(row.payload()))
                        .withEventType("OrderPlaced")
                        .withEventId(row.eventId())
                        .occurredAt(row.createdAt().toInstant()))
                .toList());
        jdbc.sql("UPDATE order_event SET processed_at = now() WHERE id = ANY (?)")
                .param(rows.stream().map(Row::id).toArray(Long[]::new))
                .update();
        return rows.size();
    }
}
