package dev.outbox.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TestPostgresTest {

    private static final TestPostgres POSTGRES = TestPostgres.shared();

    @Test
    void closeDropsDatabaseWithOpenConnections() throws SQLException {
        TestDatabase database = POSTGRES.newDatabase();
        try (Connection connection = database.dataSource().getConnection()) {
            database.close();
            database.close();

            assertThat(connection.isValid(5)).isFalse();
            assertRefuses(database, "3D000");
        }
    }

    @Test
    void cutOffEndsSessionsOfOneDatabaseAndRefusesConnectionsUntilRestored() throws SQLException {
        try (TestDatabase database = POSTGRES.newDatabase();
                TestDatabase other = POSTGRES.newDatabase();
                Connection connection = database.dataSource().getConnection();
                Connection unaffected = other.dataSource().getConnection()) {
            database.cutOff();

            assertThat(connection.isValid(5)).isFalse();
            assertThat(unaffected.isValid(5)).isTrue();
            assertRefuses(database, "55000");

            database.restore();

            assertThat(query(database.dataSource(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void missingBinariesAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PostgresBinaries.ofMajor(9))
                .withMessageContaining("9.jar");
    }

    @Test
    void environmentPointsTestsAtAnyServer() throws SQLException {
        try (TestDatabase maintenance = POSTGRES.newDatabase()) {
            String separator = maintenance.jdbcUrl().contains("?") ? "&" : "?";
            TestPostgres given = TestPostgres.choose(Map.of(
                    "OUTBOX_TEST_JDBC_URL",
                    maintenance.jdbcUrl() + separator + "user=stranger&connectTimeout=7",
                    "OUTBOX_TEST_JDBC_USER",
                    maintenance.username(),
                    "OUTBOX_TEST_JDBC_PASSWORD",
                    maintenance.password()));
            try (TestDatabase database = given.newDatabase()) {
                assertThat(query(database.dataSource(), "SELECT current_user")).isEqualTo(maintenance.username());
                assertThat(database.jdbcUrl())
                        .contains(database.name())
                        .contains("connectTimeout=7")
                        .doesNotContain("user=");
                database.cutOff();
                database.restore();
            }
            given.close();

            assertThat(query(maintenance.dataSource(), "SELECT 1")).isEqualTo("1");
        }
    }

    /** The container is the shared server: no Docker engine is needed to see which server is chosen. */
    @Test
    void containerIsUsedAndNamedWhereDockerAnswers() throws SQLException {
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, UTF_8));
        try (TestDatabase maintenance = POSTGRES.newDatabase()) {
            ServerAddress address =
                    ServerAddress.of(maintenance.jdbcUrl()).as(maintenance.username(), maintenance.password());
            TestPostgres chosen = TestPostgres.choose(
                    Map.of(),
                    () -> true,
                    (settings) -> new TestServer("Testcontainers (postgres:18)", address, () -> {}));
            try (TestDatabase database = chosen.newDatabase()) {
                assertThat(query(database.dataSource(), "SELECT 1")).isEqualTo("1");
            }
        } finally {
            System.setOut(console);
        }
        assertThat(printed.toString(UTF_8)).contains("TestPostgres: PostgreSQL ", ", Testcontainers (postgres:18), ");
    }

    @Test
    void containerThatDoesNotStartIsAFailure() {
        assertThatIllegalStateException()
                .isThrownBy(() -> TestPostgres.choose(Map.of(), () -> true, (settings) -> {
                    throw new IllegalArgumentException("no image");
                }))
                .withMessageContaining("OUTBOX_TEST_DOCKER=false")
                .withStackTraceContaining("no image");
    }

    @Test
    void environmentTurnsDockerOff() {
        try (TestPostgres chosen =
                TestPostgres.choose(Map.of("OUTBOX_TEST_DOCKER", "false"), () -> true, (settings) -> {
                    throw new IllegalArgumentException("no image");
                })) {
            assertThat(chosen.version()).isNotBlank();
        }
    }

    private static void assertRefuses(TestDatabase database, String sqlState) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> database.dataSource().getConnection())
                .extracting(SQLException::getSQLState)
                .isEqualTo(sqlState);
    }

    private static String query(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}
