package dev.outbox.spring.autoconfigure;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * PostgreSQL server that starts and stops with the application, and deletes its data when it stops. It has PostgreSQL's default durability,
 * so that it behaves like a real server.
 */
final class EmbeddedServer implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedServer.class);

    private static final String POSTGRES = "postgres";

    private final EmbeddedPostgres postgres;

    private EmbeddedServer(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    static EmbeddedServer start() {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setPGStartupWait(Duration.ofMinutes(1))
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    // The context stops the server; a shutdown hook would stop it under pollers that are still
                    // settling.
                    .setRegisterShutdownHook(false)
                    .start();
            announce(postgres);
            return new EmbeddedServer(postgres);
        } catch (IOException ex) {
            throw new UncheckedIOException(
                    "the embedded PostgreSQL did not start; set spring.datasource.url to use your own server", ex);
        }
    }

    private static void announce(EmbeddedPostgres postgres) throws IOException {
        String sql = "SELECT current_setting('server_version'), current_setting('data_directory')";
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet settings = statement.executeQuery(sql)) {
            settings.next();
            log.info(
                    "No database is configured: started an embedded PostgreSQL {} on port {} with data in {}, which is deleted at"
                            + " shutdown; set spring.datasource.url to use your own server",
                    settings.getString(1),
                    postgres.getPort(),
                    settings.getString(2));
        } catch (SQLException ex) {
            postgres.close();
            throw new IOException("the server does not respond", ex);
        }
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + POSTGRES;
    }

    @Override
    public String getUsername() {
        return POSTGRES;
    }

    @Override
    public String getPassword() {
        return POSTGRES;
    }

    /** Stops the server. The connection pool depends on this bean, so it is already closed. */
    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
