package dev.outbox.benchmarks.arena;

import dev.outbox.benchmarks.worker.Opening;
import dev.outbox.benchmarks.worker.Pause;
import dev.outbox.benchmarks.worker.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Environment of one run: its own server, and the processes of one contestant. */
public final class Arena implements AutoCloseable {

    /** Default size of HikariCP's pool, and so of Spring Boot's. */
    private static final int DEFAULT_POOL = 10;

    private static final int TUNED_POOL = 32;

    /** The time that several processes have to find each other. */
    private static final Duration JOINING = Duration.ofSeconds(12);

    private final Entrant entrant;
    private final Resources resources;
    private final ClassPath classPath;
    private final Server server;
    private final Path directory;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final Map<String, String> settings = new LinkedHashMap<>();

    /** Starts a server. */
    public Arena(Entrant entrant, Resources resources) throws IOException, SQLException {
        this.entrant = entrant;
        this.resources = resources;
        this.classPath =
                ClassPath.of(resources.contestants(), entrant.contestant().module());
        this.server = new Server(resources.server());
        this.directory = Files.createTempDirectory("outbox-benchmark");
        settings.put("JDBC driver", driverSettings());
        settings.put("JVM", String.join(" ", resources.jvm().arguments()));
    }

    public Entrant entrant() {
        return entrant;
    }

    /** Returns the largest number of connections of a process that delivers. */
    public int pool() {
        return entrant.tuned() ? TUNED_POOL : DEFAULT_POOL;
    }

    /** Returns the time until which a run that starts to wait now waits for deliveries. */
    public long deadline() {
        return System.nanoTime() + resources.limit().toNanos();
    }

    /** Waits until several processes have found each other. */
    public void awaitJoining() {
        Pause.of(JOINING);
    }

    /** Returns the version of the contestant. */
    public String version() {
        return classPath.versionOf(entrant.contestant().library());
    }

    public Server server() {
        return server;
    }

    /** Starts a process. */
    public WorkerProcess open(Role role) throws Exception {
        return open(role, resources.jvm());
    }

    /** Starts a process with a heap of the given size. */
    public WorkerProcess open(Role role, String heap) throws Exception {
        return open(role, resources.jvm().withHeap(heap));
    }

    private WorkerProcess open(Role role, Resources.Jvm jvm) throws Exception {
        WorkerProcess worker = new WorkerProcess(
                classPath,
                jvm.arguments(),
                new Opening(
                        "dev.outbox.benchmarks." + entrant.contestant().type(),
                        server.url() + "?user=postgres&password=postgres&" + driverSettings(),
                        entrant.tuned(),
                        role.with(resources.properties()),
                        directory.resolve("worker-" + workers.size()).toString()));
        workers.add(worker);
        if (role.delivers()) {
            settings.putAll(worker.settings());
        }
        return worker;
    }

    /** Sets both explicitly, so the report prints what was set; the second value is the driver's default. */
    private String driverSettings() {
        return "reWriteBatchedInserts=" + entrant.tuned() + "&prepareThreshold=5";
    }

    /** Returns the settings of the processes that deliver; those of the contestant are there from their start. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Returns the resources used so far. */
    public Usage usage() throws IOException, SQLException {
        return new Usage(
                System.nanoTime(),
                server.walBytes(),
                server.cpuNanos(),
                workers.stream().mapToLong(WorkerProcess::cpuNanos).sum());
    }

    /** Returns all started processes. */
    public List<WorkerProcess> workers() {
        return workers;
    }

    @Override
    public void close() throws IOException, SQLException {
        for (WorkerProcess worker : workers) {
            worker.close();
        }
        server.close();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(Arena::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
