package dev.outbox.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** PostgreSQL server process on a data directory of its own, which can be signalled and started again. */
final class PostgresProcess {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);
    private static final String PROGRAM = "postgres";
    private static final String CANNOT_CONNECT_NOW = "57P03";
    private static final String CONNECTION_EXCEPTION = "08";

    private final Path program;
    private final Path directory;
    private final Path data;
    private @Nullable Process process;

    private PostgresProcess(Path program, Path directory) {
        this.program = program;
        this.directory = directory;
        this.data = directory.resolve("data");
    }

    /** Creates a data directory and leaves the server stopped. */
    static PostgresProcess initialize() {
        try {
            Path directory = Files.createTempDirectory("crashing-postgres-");
            Path data = Files.createDirectory(directory.resolve("data"));
            EmbeddedPostgres initialized = EmbeddedPostgres.builder()
                    .setPort(FreePort.find())
                    .setPGStartupWait(TestServer.STARTUP_WAIT)
                    .setDataDirectory(data)
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false)
                    .start();
            String commandLine = Files.readString(data.resolve("postmaster.opts"));
            initialized.close();
            return new PostgresProcess(Path.of(commandLine.substring(0, commandLine.indexOf(' '))), directory);
        } catch (IOException e) {
            throw new UncheckedIOException("No data directory could be created", e);
        }
    }

    /** Copies the data directory of a stopped server. */
    PostgresProcess copy() {
        if (process != null) {
            throw new IllegalStateException("Only the data directory of a stopped server can be copied");
        }
        PostgresProcess copy = empty();
        DataFiles.copy(data, copy.data);
        return copy;
    }

    /** Takes a base backup of the running server, which recovers when it starts. */
    PostgresProcess copyRunning(ServerAddress address) {
        PostgresProcess copy = empty();
        try (Connection connection = address.maintain()) {
            ServerAddress.execute(connection, "SELECT pg_backup_start('copy', true)");
            DataFiles.copyRunning(data, copy.data);
            String label = ServerAddress.execute(connection, "SELECT labelfile FROM pg_backup_stop(false)");
            Files.writeString(copy.data.resolve("backup_label"), label);
            DataFiles.copyLog(data, copy.data);
            return copy;
        } catch (SQLException | IOException e) {
            throw new IllegalStateException("The running server could not be copied", e);
        }
    }

    private PostgresProcess empty() {
        try {
            return new PostgresProcess(program, Files.createTempDirectory("crashing-postgres-"));
        } catch (IOException e) {
            throw new UncheckedIOException("No data directory could be created", e);
        }
    }

    /** The server is to start as a standby. */
    void standBy() {
        try {
            Files.createFile(data.resolve("standby.signal"));
        } catch (IOException e) {
            throw new UncheckedIOException("The server cannot become a standby", e);
        }
    }

    /** Starts the server and returns when it accepts connections. */
    void start(int port, ServerSettings settings) {
        List<String> command = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // The server refuses to run as root. A user namespace without a mapping gives it an unprivileged user.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(program.resolveSibling(PROGRAM).toString(), "-D", data.toString(), "-p", "" + port));
        command.addAll(List.of("-c", "unix_socket_directories="));
        settings.values().forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("The server did not start: " + command, e);
        }
        awaitConnections(address(port));
    }

    static ServerAddress address(int port) {
        return new ServerAddress("localhost:" + port, "postgres", "", "postgres", "postgres");
    }

    /** Returns when a server accepts connections. */
    void awaitConnections(ServerAddress address) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (true) {
            try {
                address.maintain().close();
                return;
            } catch (SQLException e) {
                boolean starting = String.valueOf(e.getSQLState()).startsWith(CONNECTION_EXCEPTION)
                        || CANNOT_CONNECT_NOW.equals(e.getSQLState());
                if (!starting || !running().isAlive() || System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            "The server does not accept connections; its log:\n" + readLog(), e);
                }
                LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            }
        }
    }

    /** Sends a signal that ends the server, and returns when it has ended. */
    void end(String signal) {
        Process ending = running();
        try {
            int exit = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + ending.pid())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0 || !ending.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("The server survives SIG" + signal + "; its log:\n" + readLog());
            }
            process = null;
        } catch (IOException e) {
            throw new UncheckedIOException("SIG" + signal + " could not be sent", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the server ends", e);
        }
    }

    boolean isRunning() {
        return process != null;
    }

    /** Kills the server if it runs, and deletes its files. */
    void delete() {
        if (process != null) {
            end("QUIT");
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The files of the server could not be deleted", e);
        }
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("The server does not run");
        }
        return running;
    }

    private Path log() {
        return directory.resolve("server.log");
    }

    private String readLog() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            return e.toString();
        }
    }
}
