package dev.outbox.testing;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.ds.PGSimpleDataSource;

/** Where a server listens and who may create databases on it; one of its databases serves for maintenance. */
record ServerAddress(String hosts, String maintenanceDatabase, String parameters, String username, String password) {

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

    /** Runs one statement outside any transaction, as {@code CREATE DATABASE} and {@code DROP DATABASE} demand. */
    void execute(String sql) {
        try (Connection connection = maintain();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("The test server at " + hosts + " refused: " + sql, e);
        }
    }

    String serverVersion() {
        try (Connection connection = maintain()) {
            return connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            throw new IllegalStateException("The test server at " + hosts + " does not answer", e);
        }
    }

    private static String value(String parameter) {
        return URLDecoder.decode(parameter.substring(parameter.indexOf('=') + 1), StandardCharsets.UTF_8);
    }
}
