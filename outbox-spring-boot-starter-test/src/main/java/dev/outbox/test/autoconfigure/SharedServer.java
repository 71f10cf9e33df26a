package dev.outbox.test.autoconfigure;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Embedded PostgreSQL of this JVM. It stops when the last context that uses it closes. */
final class SharedServer {

    private static final Logger log = LoggerFactory.getLogger(SharedServer.class);

    /** As long as a busy machine may need. */
    private static final Duration STARTUP_WAIT = Duration.ofMinutes(1);

    private static @Nullable SharedServer current;

    private final EmbeddedPostgres postgres;
    private int users;

    private SharedServer(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    static synchronized SharedServer acquire() {
        SharedServer server = current;
        if (server == null) {
            server = new SharedServer(start());
            current = server;
        }
        server.users++;
        return server;
    }

    /** Durability is off: the data lives as long as the tests. */
    private static EmbeddedPostgres start() {
        try {
            // The contexts stop the server; a shutdown hook would stop it while they close.
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(STARTUP_WAIT)
                    // Spring keeps up to 32 contexts, each with a pool of its own.
                    .setServerConfig("max_connections", "1000")
                    .start();
            log.info("Started an embedded PostgreSQL on port {} for the tests of this JVM", postgres.getPort());
            return postgres;
        } catch (IOException ex) {
            throw new UncheckedIOException(
                    "the embedded PostgreSQL did not start; use a database of your own with"
                            + " @AutoConfigureOutbox(database = TestDatabase.CONFIGURED)",
                    ex);
        }
    }

    int port() {
        return postgres.getPort();
    }

    DataSource maintenance() {
        return postgres.getPostgresDatabase();
    }

    void release() {
        synchronized (SharedServer.class) {
            if (--users > 0) {
                return;
            }
            current = null;
        }
        try {
            postgres.close();
        } catch (IOException ex) {
            log.warn("The embedded PostgreSQL did not stop", ex);
        }
    }
}
