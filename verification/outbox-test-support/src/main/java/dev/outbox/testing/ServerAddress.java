package dev.outbox.testing;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.ds.PGSimpleDataSource;

/** Where a server listens and who may create databases on it; one of its databases serves for maintenance. */
record ServerAddress(String hosts, String maintenanceDatabase, String parameters, String username, String password) {

    /** Of SQL states: connection, resources, object not in prerequisite state, operator intervention, system, internal. */
    private static final Set<String> TRANSIENT_CLASSES = Set.of("08", "53", "55", "57", "58", "XX");

    private static final int SQL_STATE_LENGTH = 5;
    private static final int ATTEMPTS = 5;
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(500);
    private static final Pattern URL = Pattern.compile("jdbc:postgresql://([^/?]+)/([^?]+)(?:\\?(.*))?");

    /** Takes a URL apart; the credentials may stand in its parameters, and move from there to their own place. */
    static ServerAddress of(String url) {
        Matcher matcher = URL.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "The URL of the test server must read jdbc:postgresql://host:port/database?…, but is " + url);
        }
        String username = "";
        String password = "";
        List<String> others = new ArrayList<>();
        for (String parameter : (matcher.group(3) == null ? "" : matcher.group(3)).split("&", -1)) {
            if (parameter.startsWith("user=")) {
                username = value(parameter);
            } else if (parameter.startsWith("password=")) {
                password = value(parameter);
            } else if (!parameter.isEmpty()) {
                others.add(parameter);
            }
        }
        return new ServerAddress(matcher.group(1), matcher.group(2), String.join("&", others), username, password);
    }

    ServerAddress as(String username, String password) {
        return new ServerAddress(hosts, maintenanceDatabase, parameters, username, password);
    }

    /** The URL without credentials. */
    String jdbcUrl(String database) {
        return "jdbc:postgresql://" + hosts + "/" + database + (parameters.isEmpty() ? "" : "?" + parameters);
    }

    PGSimpleDataSource dataSource(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl(database));
        dataSource.setUser(username);
        dataSource.setPassword(password);
        return dataSource;
    }

    Connection maintain() throws SQLException {
        return dataSource(maintenanceDatabase).getConnection();
    }

    /**
     * Runs one statement outside any transaction, as {@code CREATE DATABASE} and {@code DROP DATABASE} demand, and returns the first value
     * of its result, or an empty text if it has none.
     */
    String execute(String sql) {
        try (Connection connection = maintain()) {
            return execute(connection, sql);
        } catch (SQLException e) {
            throw refused(sql, e);
        }
    }

    static String execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return "";
            }
            try (ResultSet result = statement.getResultSet()) {
                return result.next() ? result.getString(1) : "";
            }
        }
    }

    /** Runs one statement, and runs it again after a failure of the server rather than of the statement. */
    void executeRetrying(String sql) {
        for (int attempt = 1; ; attempt++) {
            try (Connection connection = maintain()) {
                execute(connection, sql);
                return;
            } catch (SQLException e) {
                if (attempt == ATTEMPTS || !isTransient(e)) {
                    throw refused(sql, e);
                }
                System.out.println("TestPostgres: attempt " + attempt + ": "
                        + refused(sql, e).getMessage());
                LockSupport.parkNanos(BETWEEN_ATTEMPTS.toNanos());
            }
        }
    }

    private IllegalStateException refused(String sql, SQLException e) {
        return new IllegalStateException(
                "The test server at %s refused: %s: %s (SQL state %s)"
                        .formatted(hosts, sql, e.getMessage(), e.getSQLState()),
                e);
    }

    private static boolean isTransient(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.length() == SQL_STATE_LENGTH && TRANSIENT_CLASSES.contains(state.substring(0, 2));
    }

    String setting(String name) {
        return execute("SHOW " + name);
    }

    private static String value(String parameter) {
        return URLDecoder.decode(parameter.substring(parameter.indexOf('=') + 1), StandardCharsets.UTF_8);
    }
}
