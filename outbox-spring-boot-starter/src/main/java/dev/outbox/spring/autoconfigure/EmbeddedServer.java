package dev.outbox.spring.autoconfigure;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * A PostgreSQL server that lives and dies with the application. It is as durable as PostgreSQL is by default, so that what is
 * seen on it holds elsewhere; its data is deleted when it stops.
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
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    // The context stops it; a hook of its own would take it from pollers that are still finishing.
                    .setRegisterShutdownHook(false)
                    .start();
            announce(postgres);
            return new EmbeddedServer(postgres);
        } catch (IOException ex) {
            throw new UncheckedIOException(
                    "the embedded PostgreSQL did not start; set spring.datasource.url to use a server of your own", ex);
        }
    }

    private static void announce(EmbeddedPostgres postgres) throws IOException {
        String sql = "SELECT current_setting('server_version'), current_setting('data_directory')";
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet settings = statement.executeQuery(sql)) {
            settings.next();
            log.info(
                    "no database is configured, so an embedded PostgreSQL {} was started on port {} with data in {}, deleted at"
                            + " the end; set spring.datasource.url to use a server of your own",
                    settings.getString(1),
                    postgres.getPort(),
                    settings.getString(2));
        } catch (SQLException ex) {
            postgres.close();
            throw new IOException("it does not answer", ex);
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

    /** Stops the server. The pool that was configured on it depends on this bean, so it is closed already. */
    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
