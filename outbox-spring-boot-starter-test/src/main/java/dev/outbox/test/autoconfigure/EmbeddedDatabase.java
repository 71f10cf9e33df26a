package dev.outbox.test.autoconfigure;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Database of one context on the embedded PostgreSQL of this JVM, which stops when the last context that uses it closes. */
final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabase.class);

    private static final String POSTGRES = "postgres";

    /** As long as a busy machine may need. */
    private static final Duration STARTUP_WAIT = Duration.ofMinutes(1);

    private static @Nullable EmbeddedPostgres server;
    private static int users;

    private final EmbeddedPostgres postgres;
    private final String name = "test_" + UUID.randomUUID().toString().replace("-", "");

    private EmbeddedDatabase(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    static EmbeddedDatabase create() {
        EmbeddedDatabase database = new EmbeddedDatabase(acquire());
        try {
            database.execute("CREATE DATABASE " + database.name);
            return database;
        } catch (RuntimeException ex) {
            release();
            throw ex;
        }
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + name;
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
            execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
        } finally {
            release();
        }
    }

    private void execute(String sql) {
        JdbcClient.create(postgres.getPostgresDatabase()).sql(sql).update();
    }

    private static synchronized EmbeddedPostgres acquire() {
        EmbeddedPostgres running = server != null ? server : start();
        server = running;
        users++;
        return running;
    }

    private static synchronized void release() {
        EmbeddedPostgres running = server;
        if (--users > 0 || running == null) {
            return;
        }
        server = null;
        try {
            running.close();
        } catch (IOException ex) {
            log.warn("The embedded PostgreSQL did not stop", ex);
        }
    }

    /** Durability is off: the data lives as long as the tests. What initdb and the server print is of use only if they fail. */
    static EmbeddedPostgres start() {
        File output = null;
        try {
            output = File.createTempFile("outbox-postgres", ".log");
            output.deleteOnExit();
            // The contexts stop the server; a shutdown hook would stop it while they close.
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(STARTUP_WAIT)
                    .setOutputRedirector(ProcessBuilder.Redirect.appendTo(output))
                    // Spring keeps up to 32 contexts, each with a pool of its own.
                    .setServerConfig("max_connections", "1000")
                    .start();
            log.debug("The embedded PostgreSQL has printed:\n{}", text(output));
            log.info("Started an embedded PostgreSQL on port {} for this JVM", postgres.getPort());
            return postgres;
        } catch (IOException | IllegalStateException ex) {
            throw new IllegalStateException(
                    "the embedded PostgreSQL did not start; use a database of your own with"
                            + " @AutoConfigureOutbox(database = TestDatabase.CONFIGURED). It has printed:\n"
                            + text(output),
                    ex);
        }
    }

    private static String text(@Nullable File output) {
        try {
            return output == null ? "" : Files.readString(output.toPath());
        } catch (IOException ex) {
            return String.valueOf(ex.getMessage());
        }
    }
}
