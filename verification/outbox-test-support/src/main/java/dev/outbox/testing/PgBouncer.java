package dev.outbox.testing;

import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A PgBouncer process in front of a test database, in transaction mode: each transaction of a client may run in another session. */
public final class PgBouncer implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);
    private static final Pattern SERVER = Pattern.compile("jdbc:postgresql://([^:/]+):(\\d+)/.*");

    private final TestDatabase database;
    private final Path directory;
    private final int port;
    private final Process process;

    private PgBouncer(TestDatabase database, Path directory, int port, Process process) {
        this.database = database;
        this.directory = directory;
        this.port = port;
        this.process = process;
    }

    /** Whether the program is on the PATH, or where Debian installs it. */
    public static boolean isInstalled() {
        return program().isPresent();
    }

    private static Optional<String> program() {
        List<String> directories = new ArrayList<>(
                List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator)));
        directories.add("/usr/sbin");
        return directories.stream()
                .map((directory) -> new File(directory, "pgbouncer"))
                .filter(File::canExecute)
                .map(File::getPath)
                .findFirst();
    }

    /**
     * Starts the process, and returns when it accepts connections.
     *
     * @param sessions how many sessions of the server all clients of a role share
     */
    public static PgBouncer start(TestDatabase database, int sessions) {
        Matcher server = SERVER.matcher(database.jdbcUrl());
        if (!server.matches()) {
            throw new IllegalArgumentException("PgBouncer needs one host and a port: " + database.jdbcUrl());
        }
        int port = FreePort.find();
        try {
            Path directory = Files.createTempDirectory("pgbouncer-");
            Files.writeString(directory.resolve("users"), """
                    "%s" "%s"
                    "%s" "%s"
                    """.formatted(
                            database.username(), database.password(), database.application(), database.password()));
            Path settings = Files.writeString(directory.resolve("pgbouncer.ini"), """
                    [databases]
                    * = host=%s port=%s
                    [pgbouncer]
                    pool_mode = transaction
                    default_pool_size = %d
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    unix_socket_dir =
                    auth_type = plain
                    auth_file = %s
                    ignore_startup_parameters = extra_float_digits
                    max_client_conn = 200
                    """.formatted(
                            server.group(1), server.group(2), sessions, port, directory.resolve("users")));
            Process process = new ProcessBuilder(command(settings))
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            PgBouncer started = new PgBouncer(database, directory, port, process);
            started.awaitConnections();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("PgBouncer could not be started", e);
        }
    }

    /** It refuses to run as root. A user namespace without a mapping gives it an unprivileged user. */
    private static List<String> command(Path settings) {
        List<String> command = new ArrayList<>(LinuxUtils.isUnshareAvailable() ? List.of("unshare", "-U") : List.of());
        command.add(program().orElseThrow(() -> new IllegalStateException("PgBouncer is not installed")));
        command.add(settings.toString());
        return command;
    }

    /** The URL of the database through the process; the credentials are those of the database. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database.name();
    }

    private void awaitConnections() {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        SQLException refusal = tryToConnect();
        while (refusal != null) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                String log = readLog();
                close();
                throw new IllegalStateException("PgBouncer does not accept connections; its log:\n" + log, refusal);
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            refusal = tryToConnect();
        }
    }

    private @Nullable SQLException tryToConnect() {
        try {
            DriverManager.getConnection(jdbcUrl(), database.username(), database.password())
                    .close();
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    private String readLog() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Ends the process, and deletes its files. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The files of PgBouncer could not be deleted", e);
        }
    }
}
