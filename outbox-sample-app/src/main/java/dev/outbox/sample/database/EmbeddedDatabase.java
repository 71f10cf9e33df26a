package dev.outbox.sample.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;

/** PostgreSQL server that stops with the application, with PostgreSQL's default durability. */
public final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabase.class);

    private static final String POSTGRES = "postgres";

    private final EmbeddedPostgres postgres;

    private EmbeddedDatabase(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    /** Starts a server that deletes its data when it stops. */
    public static EmbeddedDatabase temporary(int port) {
        EmbeddedDatabase database = start(EmbeddedPostgres.builder(), port);
        log.info(
                "No database is configured: started an embedded PostgreSQL at {}, which deletes its data at shutdown; set"
                        + " demo.data-dir to keep it, or spring.datasource.url to use your own server",
                database.getJdbcUrl());
        return database;
    }

    /** Starts a server that keeps its data in a directory. */
    static EmbeddedDatabase in(Path directory, int port) {
        RunningServer.in(directory).ifPresent((server) -> {
            throw new IllegalStateException(
                    "a PostgreSQL runs on %s already, as process %d on port %d: end that application, or use"
                                    .formatted(directory, server.pid(), server.port())
                            + " its database by spring.datasource.url=" + url(server.port(), POSTGRES));
        });
        EmbeddedDatabase database =
                start(EmbeddedPostgres.builder().setDataDirectory(directory).setCleanDataDirectory(false), port);
        log.info("The database is at {} and keeps its data in {}", database.getJdbcUrl(), directory);
        return database;
    }

    private static EmbeddedDatabase start(EmbeddedPostgres.Builder builder, int port) {
        try {
            return new EmbeddedDatabase(builder.setPGStartupWait(Duration.ofMinutes(1))
                    .setPort(port)
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    // The context stops the server; a shutdown hook would stop it under pollers that are still
                    // settling.
                    .setRegisterShutdownHook(false)
                    .start());
        } catch (IOException ex) {
            throw new UncheckedIOException(
                    "the embedded PostgreSQL did not start; set spring.datasource.url to use your own server", ex);
        }
    }

    @Override
    public String getJdbcUrl() {
        return url(postgres.getPort(), POSTGRES);
    }

    @Override
    public String getUsername() {
        return POSTGRES;
    }

    @Override
    public String getPassword() {
        return POSTGRES;
    }

    /** Creates one more database, and returns the properties of an application that uses it. */
    public Map<String, Object> create(String name) {
        JdbcClient.create(postgres.getPostgresDatabase())
                .sql("CREATE DATABASE " + name)
                .update();
        return Map.of(
                "spring.datasource.url", url(postgres.getPort(), name),
                "spring.datasource.username", POSTGRES,
                "spring.datasource.password", POSTGRES);
    }

    /** Stops the server. The connection pool depends on this bean, so it is already closed. */
    @Override
    public void close() {
        try {
            postgres.close();
        } catch (IOException ex) {
            throw new UncheckedIOException("the embedded PostgreSQL did not stop", ex);
        }
    }

    private static String url(int port, String name) {
        return "jdbc:postgresql://localhost:" + port + "/" + name;
    }
}
