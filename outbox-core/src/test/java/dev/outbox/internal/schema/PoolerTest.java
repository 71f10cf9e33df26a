package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.PgBouncer;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What the outbox notices of a pooler that shares sessions. */
class PoolerTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    @EnabledIf(value = "dev.outbox.testing.PgBouncer#isInstalled", disabledReason = "pgbouncer is not on the PATH")
    void explainsLostPreparedStatements() throws SQLException {
        try (PgBouncer pooler = PgBouncer.start(database, 3);
                Connection one = through(pooler, "?prepareThreshold=1").getConnection();
                Connection two = through(pooler, "?prepareThreshold=1").getConnection()) {
            // One session serves both, and both call their first statement S_1.
            select(one);

            SQLException refused = catchThrowableOfType(SQLException.class, () -> select(two));

            assertThat((Throwable) Causes.explained(refused))
                    .hasMessageContaining("prepared statement \"S_1\" already exists")
                    .hasMessageEndingWith("add prepareThreshold=0 to its JDBC URL");
        }
    }

    @Test
    void migrationThatLosesAStatementNamesTheSetting() {
        SQLException lost = new SQLException("ERROR: prepared statement \"S_1\" already exists", "42P05");

        assertThat((Throwable) DatabaseProblems.migrating(new FlywayException("Migration failed", lost)))
                .hasMessageContaining("prepared statement \"S_1\" already exists")
                .hasMessageContaining("add prepareThreshold=0 to its JDBC URL");
    }

    @Test
    void leavesOtherFailuresAlone() {
        SQLException other = new SQLException("syntax error at or near \"prepared statement\"", "42601");

        assertThat((Throwable) Causes.explained(other)).isSameAs(other);

        SQLException withoutState =
                new SQLTransientConnectionException("Connection is not available, request timed out");

        assertThat((Throwable) Causes.explained(withoutState)).isSameAs(withoutState);
    }

    @Test
    @EnabledIf(value = "dev.outbox.testing.PgBouncer#isInstalled", disabledReason = "pgbouncer is not on the PATH")
    void migratesThroughAPooler() {
        try (PgBouncer pooler = PgBouncer.start(database, 3)) {
            DataSource shared = through(pooler, "?prepareThreshold=0");
            OutboxMigrations migrations =
                    new OutboxMigrations(shared, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE);
            migrations.migrate();

            assertThatCode(migrations::validate).doesNotThrowAnyException();
        }
    }

    private static void select(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            statement.execute();
        }
    }

    private DataSource through(PgBouncer pooler, String parameters) {
        return new DriverManagerDataSource(pooler.jdbcUrl() + parameters, database.username(), database.password());
    }
}
