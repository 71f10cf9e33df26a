package dev.outbox.sample.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
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
    public static EmbeddedDatabase start() {
        try {
            EmbeddedDatabase database = new EmbeddedDatabase(EmbeddedPostgres.builder()
                    .setPGStartupWait(Duration.ofMinutes(1))
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    // The context stops the server; a shutdown hook would stop it under pollers that are still
                    // settling.
                    .setRegisterShutdownHook(false)
                    .start());
            log.info(
                    "No database is configured: started an embedded PostgreSQL at {}, which deletes its data at shutdown;"
                            + " set spring.datasource.url to use your own server",
                    database.getJdbcUrl());
            return database;
        } catch (IOException ex) {
            throw new UncheckedIOException(
                    "the embedded PostgreSQL did not start; set spring.datasource.url to use your own server", ex);
        }
    }

    @Override
    public String getJdbcUrl() {
        return url(POSTGRES);
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
                "spring.datasource.url", url(name),
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

    private String url(String name) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + name;
    }
}
