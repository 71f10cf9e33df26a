package dev.outbox.chaos.process;

import dev.outbox.EventEnvelope;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tables of the application, which change in the transactions that publish. */
public final class BusinessTables {

    private static final String TOUCH = """
            INSERT INTO chaos.account AS a (id, version)
            SELECT id, 1
            FROM unnest(?::text[]) AS touched (id)
            ORDER BY id
            ON CONFLICT (id) DO UPDATE
            SET version = a.version + 1
            """;

    private static final String NOTE = """
            INSERT INTO chaos.ledger (event_id, aggregate_id, sequence, transaction_id)
            VALUES (?, ?, ?, ?)
            """;

    private static final String FORGET = """
            DELETE FROM chaos.ledger
            WHERE event_id = ?
            """;

    private static final String CLOCK = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
            """;

    private static final String SCHEDULED = """
            SELECT event_id
            FROM events.outbox_scheduled
            WHERE aggregate_type = ? AND aggregate_id = ? AND key = ?
            """;

    private static final String MOVED = """
            SELECT EXISTS (SELECT FROM events.outbox WHERE event_id = ?)
                OR EXISTS (SELECT FROM audit.events WHERE outbox_event_id = ?)
            """;

    private static final String BOOK = """
            INSERT INTO chaos.booking (event_id, handler)
            VALUES (?, ?)
            """;

    private final JdbcTemplate jdbc;

    /** Creates an access to the tables. */
    public BusinessTables(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Changes the accounts of some events. They are locked in order, as the outbox locks aggregates: publishers do not deadlock. */
    public void touch(List<IntendedEvent> events) {
        String[] accounts = events.stream()
                .map((event) -> event.aggregateType() + "/" + event.aggregateId())
                .distinct()
                .sorted()
                .toArray(String[]::new);
        jdbc.update(TOUCH, (statement) -> statement.setObject(1, accounts));
    }

    /** Writes the row that has to appear together with each event. */
    public void note(List<EventEnvelope> events, String transaction) {
        jdbc.batchUpdate(NOTE, events, events.size() + 1, (statement, event) -> {
            statement.setObject(1, event.eventId());
            statement.setString(2, event.aggregateId());
            statement.setLong(3, event.sequence());
            statement.setString(4, transaction);
        });
    }

    /** Removes the row that has to disappear together with a scheduled event. */
    void forget(UUID eventId) {
        jdbc.update(FORGET, eventId);
    }

    /** Returns the microseconds since 1970, by the clock of the database. */
    public long clock() {
        return Objects.requireNonNull(jdbc.queryForObject(CLOCK, Long.class));
    }

    /** Returns the scheduled event with a key; {@code null} if there is none. */
    @Nullable
    UUID scheduled(IntendedEvent like, @Nullable String key) {
        return jdbc.queryForList(SCHEDULED, UUID.class, like.aggregateType(), like.aggregateId(), key).stream()
                .findFirst()
                .orElse(null);
    }

    /** Returns whether a scheduled event has moved to the queue. Until then it stays there, as its aggregate is locked. */
    boolean isMoved(UUID eventId) {
        return Objects.requireNonNull(jdbc.queryForObject(MOVED, Boolean.class, eventId, eventId));
    }

    /** Writes what a deduplicating handler does exactly once. */
    public void book(UUID eventId, String handler) {
        jdbc.update(BOOK, eventId, handler);
    }
}
