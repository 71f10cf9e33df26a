package dev.outbox.test.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Database of one context on the embedded server. */
final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

    private static final String POSTGRES = "postgres";

    private final SharedServer server;
    private final String name;

    private EmbeddedDatabase(SharedServer server, String name) {
        this.server = server;
        this.name = name;
    }

    static EmbeddedDatabase create() {
        SharedServer server = SharedServer.acquire();
        String name = "test_" + UUID.randomUUID().toString().replace("-", "");
        try {
            execute(server, "CREATE DATABASE " + name);
            return new EmbeddedDatabase(server, name);
        } catch (RuntimeException ex) {
            server.release();
            throw ex;
        }
    }

    private static void execute(SharedServer server, String sql) {
        try (Connection connection = server.maintenance().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException ex) {
            throw new IllegalStateException("the embedded PostgreSQL refused: " + sql, ex);
        }
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://localhost:" + server.port() + "/" + name;
    }

    @Override
    public String getUsername() {
        return POSTGRES;
    }

    @Override
    public String getPassword() {
        return POSTGRES;
    }

    /** Drops the database. The connection pool depends on this bean, so it is closed already. */
    @Override
    public void close() {
        try {
            execute(server, "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
        } finally {
            server.release();
        }
    }
}
