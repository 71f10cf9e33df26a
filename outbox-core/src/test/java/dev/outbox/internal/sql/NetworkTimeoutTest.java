package dev.outbox.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.outbox.fixture.FreezingNetwork;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.internal.failure.Causes;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** How long statements of the outbox may take, and what is left on the connection. */
@Timeout(60)
class NetworkTimeoutTest {

    private static final String TIMEOUTS =
            "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')";

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(NetworkTimeout.class);

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final Pipeline pipeline = new Pipeline(OutboxSchema.DEFAULT, TIMEOUTS);

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void statementsAndNetworkAreLimited() throws SQLException {
        List<Integer> limits = new ArrayList<>();

        assertThat(timeouts(pipeline, setting(limits))).isEqualTo("12s");
        assertThat(timeouts(pipeline.lasting(Duration.ofMinutes(5)), setting(limits)))
                .isEqualTo("5min");

        assertThat(limits).containsExactly(15_000, 0, 303_000, 0);
    }

    /** Not every pool resets it. */
    @Test
    void limitOfTheConnectionComesBack() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            DataSource pool = new SingleConnectionDataSource(connection, true);
            connection.setNetworkTimeout(Runnable::run, 60_000);
            timeouts(pipeline, pool);
            assertThat(connection.getNetworkTimeout()).isEqualTo(60_000);

            new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult((status) -> {
                new BoundConnection(pool).limitUntilCompletion();
                assertThat(networkTimeout(connection)).isEqualTo(60_000);
            });
            connection.setNetworkTimeout(Runnable::run, 0);
            new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult((status) -> {
                new BoundConnection(pool).limitUntilCompletion();
                assertThat(networkTimeout(connection)).isEqualTo(60_000);
            });
            assertThat(connection.getNetworkTimeout()).isZero();
        }
    }

    @Test
    void shorterLimitOfTheConnectionStays() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setNetworkTimeout(Runnable::run, 2_000);
            List<Integer> limits = new ArrayList<>();

            timeouts(pipeline, setting(limits, connection));

            assertThat(limits).isEmpty();
        }
    }

    /** Restoring fails too on a connection that does not commit by itself, and says nothing of the cause. */
    @Test
    void brokenConnectionReportsTheTimeout() throws SQLException {
        try (FreezingNetwork network = new FreezingNetwork(database);
                Connection connection = network.hastyDataSource().getConnection()) {
            connection.setAutoCommit(false);
            DataSource pool = new SingleConnectionDataSource(connection, true);
            network.freeze();

            assertThatThrownBy(() -> timeouts(pipeline, pool))
                    .isInstanceOfSatisfying(SQLException.class, (ex) -> {
                        assertThat(ex.getSQLState()).isEqualTo("08006");
                        assertThat(Causes.isOutage(ex)).isTrue();
                        assertThat(Causes.isRefusal(ex)).isFalse();
                    })
                    .hasRootCauseInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void slowStatementIsNoRefusal() {
        Pipeline slow = new Pipeline(OutboxSchema.DEFAULT, "SELECT pg_sleep(60)").lasting(Duration.ofMillis(50));

        assertThatThrownBy(() -> slow.run(database.dataSource(), (parameters) -> {}))
                .isInstanceOfSatisfying(SQLException.class, (ex) -> {
                    assertThat(Causes.isTooLong(ex)).isTrue();
                    assertThat(Causes.isRefusal(ex)).isFalse();
                });
    }

    @Test
    void driverWithoutSupportIsReportedOnce() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            DataSource pool = new SingleConnectionDataSource(
                    intercepted(connection, (limit) -> {
                        throw new SQLFeatureNotSupportedException("no");
                    }),
                    true);
            timeouts(pipeline, pool);
            timeouts(pipeline, pool);
        }
        assertThat(log.messages(Level.WARN))
                .singleElement()
                .asString()
                .contains("support no network timeout", "socketTimeout");
    }

    private static String timeouts(Pipeline pipeline, DataSource dataSource) throws SQLException {
        return pipeline.run(
                dataSource, (parameters) -> {}, (results) -> results.row().getString(1));
    }

    private static int networkTimeout(Connection connection) {
        try {
            return connection.getNetworkTimeout();
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private DataSource setting(List<Integer> limits) throws SQLException {
        return setting(limits, database.dataSource().getConnection());
    }

    private static DataSource setting(List<Integer> limits, Connection connection) {
        return new SingleConnectionDataSource(intercepted(connection, limits::add), false);
    }

    /** What becomes of a network timeout before the driver has it. */
    @FunctionalInterface
    private interface Limit {
        void set(int millis) throws SQLException;
    }

    private static Connection intercepted(Connection connection, Limit limit) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("setNetworkTimeout")) {
                        limit.set((Integer) arguments[1]);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                });
    }
}
