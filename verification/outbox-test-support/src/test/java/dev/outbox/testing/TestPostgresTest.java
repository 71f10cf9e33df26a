package dev.outbox.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TestPostgresTest {

    private static final TestPostgres POSTGRES = TestPostgres.shared();

    @Test
    void sharedServerIsOnePerJvm() {
        assertThat(TestPostgres.shared()).isSameAs(POSTGRES);
    }

    @Test
    void sharedServerTakesManyConnections() throws SQLException {
        try (TestDatabase database = POSTGRES.newDatabase()) {
            assertThat(Integer.parseInt(show(database.dataSource(), "max_connections")))
                    .isGreaterThanOrEqualTo(100);
        }
    }

    @Test
    void freshDatabasesAreIsolated() throws SQLException {
        try (TestDatabase one = POSTGRES.newDatabase();
                TestDatabase other = POSTGRES.newDatabase()) {
            execute(one.dataSource(), "CREATE TABLE mine (id bigint)");

            assertThat(query(one.dataSource(), "SELECT to_regclass('mine')")).isEqualTo("mine");
            assertThat(query(other.dataSource(), "SELECT to_regclass('mine')")).isNull();
        }
    }

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
    void cutOffEndsSessionsAndRefusesConnectionsUntilRestored() throws SQLException {
        try (TestDatabase database = POSTGRES.newDatabase();
                Connection connection = database.dataSource().getConnection()) {
            database.cutOff();

            assertThat(connection.isValid(5)).isFalse();
            assertRefuses(database, "55000");

            database.restore();

            assertThat(query(database.dataSource(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void cutOffEndsAStatementThatIsRunning() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (TestDatabase database = POSTGRES.newDatabase();
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET application_name = 'running'");
            // The sleep is no wait: a statement that runs until it is cut is the subject.
            Future<Boolean> running = executor.submit(() -> statement.execute("SELECT pg_sleep(300)"));

            database.cutOff();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> running.get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(SQLException.class);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void cutOffLeavesOtherDatabasesAlone() throws SQLException {
        try (TestDatabase database = POSTGRES.newDatabase();
                TestDatabase other = POSTGRES.newDatabase();
                Connection connection = other.dataSource().getConnection()) {
            database.cutOff();

            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @Test
    void urlAndCredentialsAreEnoughToConnect() throws SQLException {
        try (TestDatabase database = POSTGRES.newDatabase();
                Connection connection =
                        DriverManager.getConnection(database.jdbcUrl(), database.username(), database.password())) {
            assertThat(connection.getCatalog()).isEqualTo(database.name());
            assertThat(database.jdbcUrl()).contains("/" + database.name()).doesNotContain("user=", "password=");
        }
    }

    @Test
    void durableServerIsDurable() throws SQLException {
        try (TestPostgres postgres = TestPostgres.start(ServerSettings.durable().with("max_connections", "20"));
                TestDatabase database = postgres.newDatabase()) {
            assertThat(show(database.dataSource(), "fsync")).isEqualTo("on");
            assertThat(show(database.dataSource(), "synchronous_commit")).isEqualTo("on");
            assertThat(show(database.dataSource(), "full_page_writes")).isEqualTo("on");
            assertThat(show(database.dataSource(), "max_connections")).isEqualTo("20");
        }
    }

    @Test
    void serverOfAnotherMajorVersionStarts() throws SQLException {
        try (TestPostgres postgres = TestPostgres.start(PostgresBinaries.ofMajor(14), ServerSettings.fast());
                TestDatabase database = postgres.newDatabase()) {
            assertThat(postgres.majorVersion()).isEqualTo(14);
            assertThat(show(database.dataSource(), "server_version")).startsWith("14.");
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
                assertThat(database.jdbcUrl()).contains(database.name()).contains("connectTimeout=7");
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

    @Test
    void absentDockerEngineIsNoFailure() {
        assertThat(new DockerEngine(Map.of("DOCKER_HOST", "unix:///nowhere/docker.sock")).answers())
                .isFalse();
        assertThat(new DockerEngine(Map.of("DOCKER_HOST", "tcp://127.0.0.1:1")).answers())
                .isFalse();
        assertThat(new DockerEngine(Map.of("DOCKER_HOST", "what is this")).answers())
                .isFalse();
    }

    private static void assertRefuses(TestDatabase database, String sqlState) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> database.dataSource().getConnection())
                .extracting(SQLException::getSQLState)
                .isEqualTo(sqlState);
    }

    private static String show(DataSource dataSource, String setting) throws SQLException {
        return query(dataSource, "SHOW " + setting);
    }

    private static String query(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
