package dev.outbox.sample.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** PostgreSQL server that stops with the application and keeps its data for the next start, with PostgreSQL's default durability. */
final class KeptDatabase implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KeptDatabase.class);

    private static final String POSTGRES = "postgres";

    private final EmbeddedPostgres postgres;

    private KeptDatabase(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    static KeptDatabase start(Path directory, int port) {
        RunningServer.in(directory).ifPresent((server) -> {
            throw new IllegalStateException(
                    "a PostgreSQL runs on %s already, as process %d on port %d: end that application, or use"
                                    .formatted(directory, server.pid(), server.port())
                            + " its database by spring.datasource.url=" + url(server.port()));
        });
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setPGStartupWait(Duration.ofMinutes(1))
                    .setDataDirectory(directory)
                    .setCleanDataDirectory(false)
                    .setPort(port)
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    // The context stops the server; a shutdown hook would stop it under pollers that are still
                    // settling.
                    .setRegisterShutdownHook(false)
                    .start();
            log.info("the database is at {} and keeps its data in {}", url(postgres.getPort()), directory);
            return new KeptDatabase(postgres);
        } catch (IOException ex) {
            throw new UncheckedIOException("no PostgreSQL could be started on " + directory, ex);
        }
    }

    @Override
    public String getJdbcUrl() {
        return url(postgres.getPort());
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

    private static String url(int port) {
        return "jdbc:postgresql://localhost:" + port + "/" + POSTGRES;
    }
}
