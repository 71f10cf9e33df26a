package dev.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class TcpProxyTest {

    private TestDatabase database;
    private TcpProxy proxy;

    @BeforeEach
    void connect() throws SQLException {
        database = TestPostgres.shared().newDatabase();
        proxy = TcpProxy.to(serverAddress().getHost(), serverAddress().getPort());
        try (Connection connection = open("");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE kept (number int)");
        }
    }

    @AfterEach
    void close() {
        proxy.close();
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "preferQueryMode=simple", "prepareThreshold=-1", "prepareThreshold=0"})
    void cutsBetweenCommitAndItsReply(String options) throws SQLException {
        for (int number = 1; number <= 3; number++) {
            try (Connection connection = open(options)) {
                connection.setAutoCommit(false);
                insert(connection, 10 * number);
                connection.commit();
                insert(connection, 10 * number + 1);
                proxy.cutAfterCommit(1);

                assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            }

            assertThat(proxy.commitsCut()).isEqualTo(number);
            assertThat(count()).isEqualTo(2 * number);
        }
    }

    @Test
    void readIsNoCommit() throws SQLException {
        try (Connection reader = open("")) {
            proxy.cutAfterCommit(1);

            assertThat(count(reader)).isZero();
            assertThat(proxy.commitsCut()).isZero();
        }
    }

    @Test
    void resetEndsOpenConnectionsOnly() throws SQLException {
        // The proxy may not have seen the end of the first connection yet.
        proxy.reset();
        try (Connection connection = open("")) {
            assertThat(proxy.reset()).isEqualTo(1);

            assertThatThrownBy(() -> count(connection)).isInstanceOf(SQLException.class);
        }
        assertThat(count()).isZero();
    }

    @Test
    void refusesNewConnectionsUntilItIsHealed() throws SQLException {
        proxy.refuse();

        assertThatThrownBy(() -> open("")).isInstanceOf(SQLException.class);

        proxy.heal();
        assertThat(count()).isZero();
    }

    @Test
    void blackHoleDeliversWhenItIsHealed() throws Exception {
        try (Connection connection = open("")) {
            proxy.blackHole();
            CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> uncheckedCount(connection));

            assertThatThrownBy(() -> open("socketTimeout=1")).isInstanceOf(SQLException.class);
            assertThat(answer).isNotDone();

            proxy.heal();
            assertThat(answer.get(30, TimeUnit.SECONDS)).isZero();
        }
    }

    @Test
    void blackHoleHidesTheDeathOfAClient() throws SQLException {
        try (Connection dying = open("ApplicationName=dying");
                Connection observer = database.dataSource().getConnection()) {
            dying.setAutoCommit(false);
            insert(dying, 1);
            proxy.blackHole();
            dying.abort(Runnable::run);

            for (int look = 0; look < 200; look++) {
                assertThat(backends(observer, "dying")).isEqualTo(1);
            }

            proxy.heal();
            await().atMost(Duration.ofSeconds(60)).until(() -> backends(observer, "dying") == 0);
        }
    }

    @Test
    void freezesOpenConnectionsOnly() throws Exception {
        try (Connection frozen = open("ApplicationName=frozen");
                Connection observer = database.dataSource().getConnection()) {
            assertThat(count(frozen)).isZero();
            proxy.freeze();

            CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> uncheckedCount(frozen));

            assertThat(count()).isZero();
            assertThat(answer).isNotDone();
            frozen.abort(Runnable::run);
            for (int look = 0; look < 200; look++) {
                assertThat(backends(observer, "frozen")).isEqualTo(1);
            }

            proxy.heal();
            await().atMost(Duration.ofSeconds(60)).until(() -> backends(observer, "frozen") == 0);
        }
    }

    @Test
    void freezesTheConnectionOfOnePort() throws Exception {
        try (Connection frozen = open("");
                Connection other = open("")) {
            int port = clientPort(frozen);

            assertThat(proxy.freeze((candidate) -> candidate == port)).isEqualTo(1);

            CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> uncheckedCount(frozen));
            assertThat(count(other)).isZero();
            assertThat(answer).isNotDone();
            frozen.abort(Runnable::run);
        }
    }

    @Test
    void delaysBothDirections() throws SQLException {
        try (Connection connection = open("")) {
            proxy.delay(Duration.ofMillis(100));
            long begun = System.nanoTime();

            assertThat(count(connection)).isZero();

            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(200_000_000);
        }
    }

    private Connection open(String options) throws SQLException {
        String url = "jdbc:postgresql://localhost:" + proxy.port() + "/" + database.name() + "?" + options;
        return DriverManager.getConnection(url, database.username(), database.password());
    }

    private URI serverAddress() {
        return URI.create(database.jdbcUrl().substring("jdbc:".length()));
    }

    private static void insert(Connection connection, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO kept VALUES (?)")) {
            insert.setInt(1, number);
            insert.executeUpdate();
        }
    }

    private static int backends(Connection observer, String application) throws SQLException {
        try (PreparedStatement select =
                observer.prepareStatement("SELECT count(*) FROM pg_stat_activity WHERE application_name = ?")) {
            select.setString(1, application);
            try (ResultSet result = select.executeQuery()) {
                result.next();
                return result.getInt(1);
            }
        }
    }

    private static int clientPort(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT client_port FROM pg_stat_activity WHERE pid = pg_backend_pid()")) {
            result.next();
            return result.getInt(1);
        }
    }

    private int count() throws SQLException {
        try (Connection connection = open("")) {
            return count(connection);
        }
    }

    private static int uncheckedCount(Connection connection) {
        try {
            return count(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT count(*) FROM kept")) {
            result.next();
            return result.getInt(1);
        }
    }
}
