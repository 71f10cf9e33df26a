package dev.outbox.test;

import dev.outbox.EventEnvelope;
import dev.outbox.test.StoredEvent.Status;
import dev.outbox.test.StoredEvent.UnfinishedDelivery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Reads the events of the outbox, those of the transaction of the calling thread included. */
record StoredEvents(JdbcClient jdbc, String schema, JsonMapper mapper) {

    private static final String EVENTS = """
            SELECT o.id, o.event_id, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, o.schema_version,
                   o.payload::text, o.headers::text, o.occurred_at, o.status
              FROM {schema}.outbox o
             ORDER BY o.id
            """;

    private static final String DELIVERIES = """
            SELECT d.outbox_id, d.handler_id, d.status, d.attempt_count, d.last_error_code, d.last_error, d.next_retry_at
              FROM {schema}.outbox_delivery d
             ORDER BY d.outbox_id, d.handler_id
            """;

    private static final String FAILURES = """
            SELECT o.event_id, o.event_type || ' of ' || o.aggregate_type || '/' || o.aggregate_id AS event,
                   d.handler_id, d.status, d.attempt_count, d.last_error_code, d.last_error, d.next_retry_at
              FROM {schema}.outbox_delivery d
              JOIN {schema}.outbox o ON o.id = d.outbox_id
             WHERE d.last_error_code IS NOT NULL
               AND d.report_at < 'infinity'
             ORDER BY d.outbox_id, d.handler_id
            """;

    private static final String SCHEDULED = """
            SELECT 0::bigint AS id, s.event_id, s.stream, s.aggregate_type, s.aggregate_id, 0::bigint AS aggregate_seq, s.event_type,
                   s.schema_version, s.payload::text, s.headers::text, coalesce(s.occurred_at, s.due_at) AS occurred_at,
                   s.key, s.due_at, ceil(extract(epoch FROM s.due_at - clock_timestamp()) * 1000)::bigint AS due_in
              FROM {schema}.outbox_scheduled s
             ORDER BY s.due_at, s.event_id
            """;

    private static final TypeReference<Map<String, String>> HEADERS = new TypeReference<>() {};

    /** Finds all events, in the order of their ids. */
    List<StoredEvent> all(Function<UUID, Set<String>> handlersOf) {
        Map<Long, List<UnfinishedDelivery>> deliveries = new HashMap<>();
        jdbc.sql(DELIVERIES.replace("{schema}", schema)).query((row) -> {
            deliveries
                    .computeIfAbsent(row.getLong("outbox_id"), (id) -> new ArrayList<>())
                    .add(delivery(row));
        });
        return jdbc.sql(EVENTS.replace("{schema}", schema))
                .query((row, number) -> {
                    EventEnvelope event = event(row);
                    List<UnfinishedDelivery> open = deliveries.getOrDefault(event.id(), List.of());
                    // A batch handler may return and report the failure of single events.
                    Set<String> handledBy = new LinkedHashSet<>(handlersOf.apply(event.eventId()));
                    open.forEach((delivery) -> handledBy.remove(delivery.handlerId()));
                    return new StoredEvent(event, Status.valueOf(row.getString("status")), handledBy, open);
                })
                .list();
    }

    /** Finds the scheduled events, the next one due first. */
    List<ScheduledEvent> scheduled() {
        return jdbc.sql(SCHEDULED.replace("{schema}", schema))
                .query((row, number) -> new ScheduledEvent(
                        event(row),
                        row.getString("key"),
                        row.getTimestamp("due_at").toInstant(),
                        Duration.ofMillis(row.getLong("due_in"))))
                .list();
    }

    /** Finds the deliveries whose last attempt failed, without those that a dead-letter method has taken. */
    List<FailedDelivery> failures() {
        return jdbc.sql(FAILURES.replace("{schema}", schema))
                .query((row, number) -> new FailedDelivery(
                        row.getObject("event_id", UUID.class), row.getString("event"), delivery(row)))
                .list();
    }

    private static UnfinishedDelivery delivery(ResultSet row) throws SQLException {
        boolean open = row.getString("status").equals("OPEN");
        String code = row.getString("last_error_code");
        return new UnfinishedDelivery(
                row.getString("handler_id"),
                !open,
                row.getInt("attempt_count"),
                code == null ? null : code + ": " + row.getString("last_error"),
                open ? instant(row.getTimestamp("next_retry_at")) : null);
    }

    private static @Nullable Instant instant(@Nullable Timestamp time) {
        return time == null ? null : time.toInstant();
    }

    private EventEnvelope event(ResultSet row) throws SQLException {
        return new EventEnvelope(
                row.getLong("id"),
                row.getObject("event_id", UUID.class),
                row.getString("stream"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getLong("aggregate_seq"),
                row.getString("event_type"),
                row.getInt("schema_version"),
                row.getString("payload"),
                mapper.readValue(row.getString("headers"), HEADERS),
                row.getTimestamp("occurred_at").toInstant(),
                false);
    }
}
