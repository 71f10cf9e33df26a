package dev.outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Database of one test, which can be cut off from its clients and is dropped when closed. Its owner is not a superuser; an application
 * has only the privileges that it is granted.
 */
public final class TestDatabase implements AutoCloseable {

    private static final Duration CUT_OFF_DEADLINE = Duration.ofSeconds(30);

    private final ServerAddress server;
    private final String name;

    TestDatabase(ServerAddress server, String name) {
        this.server = server;
        this.name = name;
    }

    public String name() {
        return name;
    }

    public String jdbcUrl() {
        return server.jdbcUrl(name);
    }

    /** The owner of the database. */
    public String username() {
        return TestRoles.OWNER;
    }

    /** Password of the owner and of the application. */
    public String password() {
        return TestRoles.PASSWORD;
    }

    /** Connects as the owner. Opens a new connection for every request, without a pool. */
    public DataSource dataSource() {
        return as(TestRoles.OWNER);
    }

    /** The role of an application, which owns nothing. */
    public String application() {
        return TestRoles.APPLICATION;
    }

    /** Connects as the given role. Opens a new connection for every request, without a pool. */
    public DataSource as(String role) {
        return server.as(role, TestRoles.PASSWORD).dataSource(name);
    }

    /**
     * Grants to the roles of the tests: to {@code outbox_publisher}, {@code outbox_worker} and {@code outbox_reader}, which the
     * application is a member of.
     *
     * @param script the outbox's {@code grants.sql}
     */
    public void grant(String script) {
        try (Connection connection = dataSource().getConnection()) {
            ServerAddress.execute(connection, TestRoles.grants(script));
        } catch (SQLException e) {
            throw new IllegalStateException("The rights of database " + name + " could not be granted", e);
        }
    }

    /**
     * Simulates an outage: refuses new connections and terminates every session. Returns when none is left.
     *
     * @throws IllegalStateException if a session survives for 30 seconds
     */
    public void cutOff() {
        server.execute("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS false");
        long deadline = System.nanoTime() + CUT_OFF_DEADLINE.toNanos();
        while (terminateSessions() > 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Sessions of database " + name + " survived " + CUT_OFF_DEADLINE);
            }
        }
    }

    /** Ends the outage: connections are accepted again. */
    public void restore() {
        server.execute("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS true");
    }

    /** Terminates the remaining sessions and drops the database. May be called twice. */
    @Override
    public void close() {
        server.executeRetrying("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }

    /** Terminates the sessions it sees, waiting a second for each, and returns how many it saw. */
    private int terminateSessions() {
        return Integer.parseInt(server.execute("""
                SELECT count(pg_terminate_backend(pid, 1000))
                FROM pg_stat_activity
                WHERE datname = '%s'
                AND backend_type = 'client backend'
                """.formatted(name)));
    }
}
