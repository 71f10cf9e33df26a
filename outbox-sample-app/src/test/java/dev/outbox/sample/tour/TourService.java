package dev.outbox.sample.tour;

import static org.awaitility.Awaitility.await;

import dev.outbox.sample.SampleApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The service in a process of its own, on an embedded database that outlives a kill. */
final class TourService implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(2);
    private static final Pattern READY = Pattern.compile("Ready, on PostgreSQL \\S+ at jdbc:\\S+:(\\d+)/postgres");
    private static final Pattern ADDRESS = Pattern.compile("http://localhost:(\\d+) shows");

    private static final Pattern ARGUMENT = Pattern.compile("'[^']*'|\\S+");

    private final Path log;
    private Process process;
    private int port;
    private String databasePort = "";
    private ProcessHandle survivor;

    TourService(Path log) {
        this.log = log;
    }

    int port() {
        return port;
    }

    /** The address of the database, as psql expects it. */
    String database() {
        return "postgresql://postgres:postgres@localhost:" + databasePort + "/postgres";
    }

    /** Starts the service, and returns what it logs when it is ready. The port that the page shows stands for that of the database. */
    String start(String arguments) throws IOException {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                SampleApplication.class.getName(),
                                "--server.port=0",
                                "--demo.enabled=true",
                                "--outbox.handlers.[fulfilment.order].retry.max-attempts=6",
                                "--logging.level.dev.outbox.sample.Welcome=info"),
                        ARGUMENT.matcher(arguments.replace(":42251/", ":" + databasePort + "/"))
                                .results()
                                .map((argument) -> argument.group().replace("'", "")))
                .toList();
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(START).until(() -> !process.isAlive() || log().contains("Ctrl+C stops the service"));
        MatchResult ready = find(READY);
        databasePort = ready.group(1);
        port = Integer.parseInt(find(ADDRESS).group(1));
        return ready.group();
    }

    /** Kills the service, and remembers its database server to stop it later. */
    void kill(Path dataDirectory) throws IOException {
        String pid = Files.readAllLines(dataDirectory.resolve("postmaster.pid")).get(0);
        survivor = ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(1, TimeUnit.MINUTES).join();
        if (survivor != null) {
            survivor.destroy();
            survivor.onExit().orTimeout(1, TimeUnit.MINUTES).join();
        }
    }

    private MatchResult find(Pattern pattern) throws IOException {
        return pattern.matcher(log())
                .results()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the service did not start, see " + log.toAbsolutePath()));
    }

    private String log() throws IOException {
        return Files.readString(log);
    }
}
