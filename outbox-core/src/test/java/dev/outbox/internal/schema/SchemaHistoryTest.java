package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.store.OutboxSchema;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchemaHistoryTest {

    private final TestOutbox outbox = TestOutbox.create();
    private final SchemaHistory history = new SchemaHistory(outbox.database().dataSource(), OutboxSchema.DEFAULT);

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void namesMigrationThatTheTablesHaveLost() throws SQLException {
        assertThat(history.missing()).isEmpty();

        change("DELETE FROM events.outbox_schema_history WHERE script = 'R__archive.sql'");

        assertThat(history.missing()).singleElement().asString().startsWith("R__archive.sql ");
    }

    @Test
    void olderContentOfTheSameScriptIsMissing() throws SQLException {
        assertThat(history.missing()).isEmpty();

        change("UPDATE events.outbox_schema_history SET checksum = 1 WHERE script = 'V1__outbox.sql'");

        assertThat(history.missing()).singleElement().asString().startsWith("V1__outbox.sql ");
    }

    @Test
    void migrationOfANewerVersionIsNoLoss() throws SQLException {
        assertThat(history.missing()).isEmpty();

        change("""
                INSERT INTO events.outbox_schema_history
                       (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
                VALUES (100, '100', 'newer', 'SQL', 'V100__newer.sql', 1, current_user, 0, true)
                """);

        assertThat(history.missing()).isEmpty();
    }

    private void change(String sql) throws SQLException {
        try (var connection = outbox.database().dataSource().getConnection();
                var statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(sql)).isOne();
        }
    }
}
