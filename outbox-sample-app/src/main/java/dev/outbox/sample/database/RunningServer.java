package dev.outbox.sample.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Server that is using a data directory, such as one whose application was killed.
 *
 * @param pid its process
 * @param port where it listens
 */
record RunningServer(long pid, int port) {

    private static final String POSTGRES = "postgres";
    private static final int LINE_OF_PID = 0;
    private static final int LINE_OF_PORT = 3;

    /** Reads the lock file of a running server. A file whose process is gone is left over from a crash. */
    static Optional<RunningServer> in(Path directory) {
        Path file = directory.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            List<String> lines = Files.readAllLines(file);
            RunningServer server = new RunningServer(
                    Long.parseLong(lines.get(LINE_OF_PID).strip()),
                    Integer.parseInt(lines.get(LINE_OF_PORT).strip()));
            return ProcessHandle.of(server.pid())
                    .filter((process) ->
                            process.info().command().orElse(POSTGRES).contains(POSTGRES))
                    .map((process) -> server);
        } catch (IOException ex) {
            throw new UncheckedIOException("cannot tell whether a PostgreSQL runs on " + directory, ex);
        }
    }
}
