package dev.outbox.chaos.process;

import dev.outbox.EventEnvelope;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tables of the application, which change in the transactions that publish. */
final class BusinessTables {

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

    private static final String BOOK = """
            INSERT INTO chaos.booking (event_id, handler)
            VALUES (?, ?)
            """;

    private final JdbcTemplate jdbc;

    BusinessTables(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Changes the accounts of some events. They are locked in order, as the outbox locks aggregates: publishers do not deadlock. */
    void touch(List<IntendedEvent> events) {
        String[] accounts = events.stream()
                .map((event) -> event.aggregateType() + "/" + event.aggregateId())
                .distinct()
                .sorted()
                .toArray(String[]::new);
        jdbc.update(TOUCH, (statement) -> statement.setObject(1, accounts));
    }

    /** Writes the row that has to appear together with each event. */
    void note(List<EventEnvelope> events, String transaction) {
        jdbc.batchUpdate(NOTE, events, events.size() + 1, (statement, event) -> {
            statement.setObject(1, event.eventId());
            statement.setString(2, event.aggregateId());
            statement.setLong(3, event.sequence());
            statement.setString(4, transaction);
        });
    }

    /** Writes what a deduplicating handler does exactly once. */
    void book(UUID eventId, String handler) {
        jdbc.update(BOOK, eventId, handler);
    }
}
