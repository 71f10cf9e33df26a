package dev.outbox.internal.schema;

import dev.outbox.internal.failure.SharedSessions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns if a pooler runs each transaction in another session while the driver prepares statements by name: such a statement fails, or
 * another one of the same name runs in its place. Opens further connections only if a pooler is there.
 */
public final class PoolerCheck {

    private static final Logger log = LoggerFactory.getLogger(PoolerCheck.class);

    private static final String SESSION = "SELECT pg_catalog.pg_backend_pid()";
    private static final int ATTEMPTS = 5;
    private static final int MOST_MILLIS = 2000;

    /** Not by the driver, which prepares its own by name. */
    private static final String BEGIN = "BEGIN";

    private static final String ROLLBACK = "ROLLBACK";

    /** Finds the statement itself; a pooler that follows prepared statements gives it a name of its own. */
    private static final String NAME = """
            SELECT name
              FROM pg_catalog.pg_prepared_statements
             WHERE statement LIKE '%outbox pooler check%'
            """;

    private final DataSource dataSource;
    private final DataSource unpooled;

    /** Checks the connections of a pool, by means of connections to the same URL outside the pool. */
    public PoolerCheck(DataSource dataSource, DataSource unpooled) {
        this.dataSource = dataSource;
        this.unpooled = unpooled;
    }

    /** Logs one WARN. A failure of the check itself is none of the application's business. */
    public void warn() {
        try {
            if (isPooled() && losesPreparedStatements()) {
                log.warn(
                        "A pooler that shares sessions, such as PgBouncer in transaction mode, serves the DataSource and does not"
                                + " follow prepared statements: they fail, or run in place of others. Add prepareThreshold=0 to the JDBC URL,"
                                + " or let the pooler follow them (max_prepared_statements of PgBouncer 1.21 and later)");
            }
        } catch (SQLException ex) {
            log.debug("Cannot check whether a pooler serves the DataSource", ex);
        }
    }

    /** A pooler answers for the server when a connection begins, and does not know the process that will serve it. */
    private boolean isPooled() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            PGConnection driver = driver(connection);
            return driver != null && driver.getPrepareThreshold() != 0 && session(connection) != driver.getBackendPID();
        }
    }

    private boolean losesPreparedStatements() throws SQLException {
        try (Connection connection = unpooled.getConnection();
                Connection other = unpooled.getConnection()) {
            // A pooler with few sessions lets one of the two wait for the other.
            connection.setNetworkTimeout(Runnable::run, MOST_MILLIS);
            other.setNetworkTimeout(Runnable::run, MOST_MILLIS);
            for (int i = 0; i < ATTEMPTS; i++) {
                if (sharesSessions(connection, other)) {
                    return !followsPreparedStatements(connection);
                }
            }
            return false;
        } catch (SQLException ex) {
            if (SharedSessions.isLostStatement(ex)) {
                return true;
            }
            throw ex;
        }
    }

    /** While another connection holds the session that served this one, another session must serve this one. */
    private static boolean sharesSessions(Connection connection, Connection other) throws SQLException {
        int session = session(connection);
        execute(other, BEGIN);
        session(other);
        boolean shares = session(connection) != session;
        execute(other, ROLLBACK);
        return shares;
    }

    private static boolean followsPreparedStatements(Connection connection) throws SQLException {
        execute(connection, BEGIN);
        try (PreparedStatement statement = connection.prepareStatement(NAME)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(1);
            String name = "";
            try (ResultSet rows = statement.executeQuery()) {
                name = rows.next() ? rows.getString(1) : name;
            }
            boolean own = name.startsWith("S_");
            if (own) {
                // Nothing of it stays in a session that serves others.
                execute(connection, "DEALLOCATE \"" + name + '"');
            }
            return !own;
        } finally {
            execute(connection, ROLLBACK);
        }
    }

    private static int session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SESSION)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static @Nullable PGConnection driver(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : null;
    }
}
