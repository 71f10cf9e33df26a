package dev.outbox.benchmarks.arena;

import dev.outbox.benchmarks.worker.Journal;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Opening;
import dev.outbox.benchmarks.worker.Published;
import dev.outbox.benchmarks.worker.RemoteWorker;
import dev.outbox.benchmarks.worker.Worker;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Process of a contestant. */
public final class WorkerProcess implements AutoCloseable {

    private static final Duration CLOSING = Duration.ofSeconds(60);
    private static final int LOG_LINES = 60;

    /** Keep warnings of the JVM out of the standard output, which carries the answer; log failed calls; stay on this machine. */
    private static final List<String> OPTIONS = List.of(
            "-Xlog:disable",
            "-Xlog:all=warning:stderr",
            "-Dsun.rmi.server.exceptionTrace=true",
            "-Djava.rmi.server.hostname=127.0.0.1");

    private final Process process;
    private final Path directory;
    private final RemoteWorker remote;
    private final Map<String, String> settings;
    private final String pending;

    WorkerProcess(ClassPath classPath, List<String> jvmOptions, Opening opening) throws Exception {
        this.directory = Files.createDirectories(Path.of(opening.journals()));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", classPath.text(), Worker.class.getName()));
        this.process = new ProcessBuilder(command).redirectError(log().toFile()).start();
        try {
            RemoteWorker stub = stub(opening);
            this.remote = (RemoteWorker) Proxy.newProxyInstance(
                    RemoteWorker.class.getClassLoader(),
                    new Class<?>[] {RemoteWorker.class},
                    (proxy, method, arguments) -> call(stub, method, arguments));
            this.settings = remote.settings();
            this.pending = remote.pending();
        } catch (Exception ex) {
            close();
            throw ex;
        }
    }

    private RemoteWorker stub(Opening opening) throws IOException {
        try {
            ObjectOutputStream command = new ObjectOutputStream(process.getOutputStream());
            command.writeObject(opening);
            command.flush();
            return (RemoteWorker) new ObjectInputStream(process.getInputStream()).readObject();
        } catch (IOException | ClassNotFoundException ex) {
            throw new IllegalStateException("the worker did not start; its log ends with" + endOfLog(), ex);
        }
    }

    /** Calls the worker, and adds the end of its log to a failure. */
    private @Nullable Object call(RemoteWorker stub, Method method, Object @Nullable [] arguments)
            throws IOException, IllegalAccessException {
        try {
            return method.invoke(stub, arguments);
        } catch (InvocationTargetException ex) {
            throw new IllegalStateException(
                    "'" + method.getName() + "' failed; the worker's log ends with" + endOfLog(), ex.getCause());
        }
    }

    private Path log() {
        return directory.resolve("log.txt");
    }

    private String endOfLog() throws IOException {
        List<String> lines = Files.readAllLines(log());
        return "\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    }

    /** Returns the worker in the process. */
    public RemoteWorker remote() {
        return remote;
    }

    /** Returns the configured properties of the contestant. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Returns the SQL query that counts pending events, also when the process has ended. */
    public String pending() {
        return pending;
    }

    /** Opens the journal of successful handler calls. */
    public Journal handled() throws IOException {
        return Journal.open(directory.resolve("handled"));
    }

    /** Opens the journal of committed events. */
    public Journal committed() throws IOException {
        return Journal.open(directory.resolve("committed"));
    }

    /** Returns the committed events without those before. */
    public List<Entry> committedSince(Published published) throws IOException {
        return committed().entries().stream()
                .filter((entry) -> entry.number() >= published.first())
                .toList();
    }

    /** Opens the journal of claims, which only this library writes. */
    public Journal claims() throws IOException {
        return Journal.open(directory.resolve("claims"));
    }

    /** Returns the processor time of the process so far; 0 if the system does not report it. */
    public long cpuNanos() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    /** Kills the process. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(CLOSING.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the worker process did not end: " + process);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
