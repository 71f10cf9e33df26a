package dev.outbox.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Running server, its description, and how to stop it. */
record TestServer(String kind, ServerAddress address, Runnable stop) {

    /** As long as a busy machine may need. */
    static final Duration STARTUP_WAIT = Duration.ofMinutes(1);

    /** Linux keeps the files of this directory in memory. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private static final int ATTEMPTS = 2;
    private static final String POSTGRES = "postgres";
    private static final long ROOM_IN_MEMORY = 4L << 30;
    private static final String DEFAULT_MAJOR = "18";
    private static final String GIVEN = "OUTBOX_TEST_JDBC_URL";

    /** External server that the environment points at; it keeps running. */
    static TestServer given(String url, Map<String, String> environment) {
        ServerAddress address = ServerAddress.of(url);
        String username = environment.getOrDefault("OUTBOX_TEST_JDBC_USER", address.username());
        String password = environment.getOrDefault("OUTBOX_TEST_JDBC_PASSWORD", address.password());
        return new TestServer(GIVEN, address.as(username, password), () -> {});
    }

    /** Whether databases that are left behind stay. */
    boolean outlivesTests() {
        return kind.equals(GIVEN);
    }

    /** Whether copies of files, which need a checkpoint each, are cheaper than logged pages: where nothing waits for a disk. */
    boolean copiesFiles() {
        return address().setting("fsync").equals("off");
    }

    /** A container of the major version that the build chose; any runtime exception means that Docker could not. */
    static TestServer inDocker(ServerSettings settings) {
        String image = "postgres:"
                + System.getProperty("outbox.test.postgres-version", DEFAULT_MAJOR)
                        .split("\\.", 2)[0];
        PostgreSQLContainer container = new PostgreSQLContainer(image);
        StringBuilder command = new StringBuilder("postgres");
        settings.values()
                .forEach((name, value) ->
                        command.append(" -c ").append(name).append('=').append(value));
        container.withCommand(command.toString());
        container.start();
        ServerAddress address =
                ServerAddress.of(container.getJdbcUrl()).as(container.getUsername(), container.getPassword());
        return new TestServer("Testcontainers (" + image + ")", address, container::stop);
    }

    /**
     * A child process of this JVM, from the given binaries or else from those on the class path. Its files are in memory if they need not
     * be durable: creating and dropping a database, which is about a thousand files, costs the kernel a seventh there.
     */
    static TestServer embedded(@Nullable PostgresBinaries binaries, ServerSettings settings) {
        for (int attempt = 1; ; attempt++) {
            try {
                EmbeddedPostgres server = server(binaries, settings).start();
                ServerAddress address =
                        ServerAddress.of(server.getJdbcUrl(POSTGRES, POSTGRES)).as(POSTGRES, POSTGRES);
                return new TestServer("embedded server", address, () -> close(server));
            } catch (IOException | IllegalStateException e) {
                IllegalStateException failure =
                        new IllegalStateException("The embedded PostgreSQL did not start with " + settings, e);
                if (attempt == ATTEMPTS) {
                    throw failure;
                }
                System.out.println("TestPostgres: attempt " + attempt + ": " + failure.getMessage() + ": " + e);
            }
        }
    }

    private static EmbeddedPostgres.Builder server(@Nullable PostgresBinaries binaries, ServerSettings settings) {
        EmbeddedPostgres.Builder builder =
                EmbeddedPostgres.builder().setPort(FreePort.find()).setPGStartupWait(STARTUP_WAIT);
        settings.values().forEach(builder::setServerConfig);
        if (!settings.isDurable() && MEMORY.toFile().getUsableSpace() > ROOM_IN_MEMORY) {
            builder.setDataDirectory(MEMORY.resolve("outbox-test-" + UUID.randomUUID()));
        }
        if (binaries != null) {
            builder.setPgBinaryResolver((system, machine) -> binaries.open());
        }
        return builder;
    }

    private static void close(EmbeddedPostgres server) {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL did not stop", e);
        }
    }
}
