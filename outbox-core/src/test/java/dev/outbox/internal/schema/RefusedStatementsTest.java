package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.fixture.TestOutbox;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Statements that PostgreSQL refuses to the roles of grants.sql. None changes anything, so all share one database. */
class RefusedStatementsTest {

    private static final TestOutbox OUTBOX = TestOutbox.create();
    private static final TestOutbox PUBLISHER = OUTBOX.another("outbox_publisher");
    private static final TestOutbox WORKER = OUTBOX.another("outbox_worker");
    private static final TestOutbox READER = OUTBOX.another("outbox_reader");

    @AfterAll
    static void close() {
        List.of(PUBLISHER, WORKER, READER, OUTBOX).forEach(TestOutbox::close);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT payload FROM events.outbox",
                "SELECT headers FROM events.outbox_unpublished",
                "SELECT count(payload) FROM events.outbox_published",
                "SELECT count(*) FROM audit.events",
                "UPDATE events.outbox_unpublished SET dispatched_at = now()",
                "DELETE FROM events.outbox",
                "DELETE FROM events.outbox_unpublished",
                "DELETE FROM events.outbox_aggregate",
                "DELETE FROM events.outbox_claim",
                "INSERT INTO events.outbox_published DEFAULT VALUES",
                "INSERT INTO events.outbox (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload) VALUES (9, 'a', 'b', 1, 'C', '{}')",
                "INSERT INTO events.outbox (status, aggregate_type, aggregate_id, aggregate_seq, event_type, payload) VALUES ('DEAD', 'a', 'b', 1, 'C', '{}')",
                "INSERT INTO events.processed_event VALUES (gen_random_uuid(), 'mail')",
                "INSERT INTO events.outbox_operation (performed_by, action, reason) VALUES ('a', 'b', 'c')",
                "SELECT setval('events.outbox_id_seq', 5)",
                "TRUNCATE events.outbox",
                "ALTER TABLE events.outbox DISABLE TRIGGER ALL",
            })
    void publisherIsRefused(String sql) {
        assertRefused(PUBLISHER, sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE events.outbox_unpublished SET payload = '{}'",
                "UPDATE events.outbox_published SET payload = '{}'",
                "UPDATE events.outbox SET status = 'DEAD'",
                "UPDATE events.outbox_operation SET reason = 'another'",
                "DELETE FROM events.outbox_operation",
                "DELETE FROM events.outbox_replay",
                "DELETE FROM audit.events",
                "UPDATE audit.events SET payload = '{}'",
                "SELECT payload FROM audit.events",
                "INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status) VALUES ('a', 'b', 1, 'C', '{}', 'DEAD')",
                "INSERT INTO events.outbox_schema_history SELECT * FROM events.outbox_schema_history",
                "ALTER TABLE events.outbox DISABLE TRIGGER ALL",
            })
    void workerIsRefused(String sql) {
        assertRefused(WORKER, sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT payload FROM events.outbox",
                "SELECT headers FROM events.outbox_published",
                "SELECT payload FROM audit.events",
                "SELECT FROM events.outbox FOR UPDATE",
            })
    void readerIsRefused(String sql) {
        assertRefused(READER, sql);
    }

    static void assertRefused(TestOutbox role, String statement) {
        assertThatThrownBy(() -> JdbcClient.create(role.dataSource())
                        .sql(statement)
                        .query()
                        .listOfRows())
                .isInstanceOf(DataAccessException.class)
                .rootCause()
                .message()
                .containsPattern("permission denied|must be owner");
    }
}
