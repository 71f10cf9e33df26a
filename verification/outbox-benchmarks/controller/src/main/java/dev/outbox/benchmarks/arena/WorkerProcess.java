package dev.outbox.benchmarks.arena;

import dev.outbox.benchmarks.worker.Journal;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Message;
import dev.outbox.benchmarks.worker.Published;
import dev.outbox.benchmarks.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Process of a contestant. Only one thread may use it. */
public final class WorkerProcess implements AutoCloseable {

    private static final Duration CLOSING = Duration.ofSeconds(60);
    private static final int LOG_LINES = 60;

    /** Keeps warnings of the JVM out of the standard output, which carries the answers. */
    private static final List<String> LOGGING = List.of("-Xlog:disable", "-Xlog:all=warning:stderr");

    private final Process process;
    private final Path log;
    private final Path journals;
    private final Writer commands;
    private final BufferedReader answers;
    private Map<String, String> settings = Map.of();
    private String pending = "";

    private WorkerProcess(Process process, Path directory) {
        this.process = process;
        this.log = directory.resolve("log.txt");
        this.journals = directory;
        this.commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Start parameters of a process. */
    record Launch(ClassPath classPath, List<String> jvmOptions, Path directory, Message open) {}

    static WorkerProcess open(Launch launch) throws IOException {
        Files.createDirectories(launch.directory());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(LOGGING);
        command.addAll(launch.jvmOptions());
        command.addAll(List.of("-cp", launch.classPath().text(), Worker.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(launch.directory().resolve("log.txt").toFile())
                .start();
        WorkerProcess worker = new WorkerProcess(process, launch.directory());
        Map<String, String> opened;
        try {
            opened = new LinkedHashMap<>(worker.send(launch.open().with("journals", launch.directory()))
                    .values());
        } catch (IOException | RuntimeException ex) {
            worker.close();
            throw ex;
        }
        String pending = opened.remove("pending");
        worker.pending = pending == null ? "" : pending;
        worker.settings = opened;
        return worker;
    }

    /** Sends a command without values, and waits for the answer. */
    public Message send(String verb) throws IOException {
        return send(Message.of(verb));
    }

    /** Sends a command, and waits for the answer. */
    public Message send(Message command) throws IOException {
        String verb = command.verb();
        commands.write(command.encode() + "\n");
        commands.flush();
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the worker ended during '" + verb + "'; its log ends with" + endOfLog());
        }
        Message answer = Message.decode(line);
        if (answer.verb().equals(Message.FAILED)) {
            throw new IllegalStateException(
                    "'" + verb + "' failed: " + answer.get("message") + "; the worker's log ends with" + endOfLog());
        }
        return answer;
    }

    private String endOfLog() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return "\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    }

    /** Creates the accounts that publishing changes. */
    public void createAccounts(int accounts) throws IOException {
        send(Message.of("accounts").with("accounts", accounts));
    }

    /** Starts to deliver, or to wake the processes that deliver. */
    public void start() throws IOException {
        send("start");
    }

    /** Runs a task of this library, and returns its result. */
    public long perform(String task) throws IOException {
        return send(Message.of("perform").with("task", task)).longNumber("result");
    }

    /** Publishes events of each of the accounts in turn, without changing them. */
    public void publishBacklog(int events, int firstKey, int keys) throws IOException {
        send(Message.of("backlog")
                .with("events", events)
                .with("firstKey", firstKey)
                .with("keys", keys));
    }

    /** Publishes as fast as it can. */
    public Published publish(int threads, int keys, int seconds) throws IOException {
        return publish(threads, keys, false, seconds);
    }

    /** Publishes as fast as it can, the events of many accounts or of one aggregate that they share. */
    public Published publish(int threads, int keys, boolean shared, int seconds) throws IOException {
        send(Message.of("publish")
                .with("threads", threads)
                .with("keys", keys)
                .with("shared", shared)
                .with("seconds", seconds));
        return awaitPublished();
    }

    /** Publishes at a steady rate. */
    public Published publishAtRate(int rate, int threads, int keys, int seconds) throws IOException {
        beginAtRate(rate, threads, keys, seconds);
        return awaitPublished();
    }

    /** Begins to publish at a steady rate. */
    public void beginAtRate(int rate, int threads, int keys, int seconds) throws IOException {
        send(Message.of("pace")
                .with("rate", rate)
                .with("threads", threads)
                .with("keys", keys)
                .with("shared", false)
                .with("seconds", seconds));
    }

    /** Waits for the end of the publishing that has begun. */
    public Published awaitPublished() throws IOException {
        Message published = send("await");
        return new Published(
                published.number("first"),
                published.number("events"),
                published.longNumber("begun"),
                published.longNumber("ended"));
    }

    /** Returns the committed events without those before. */
    public List<Entry> committedSince(Published published) throws IOException {
        return committed().entries().stream()
                .filter((entry) -> entry.number() >= published.first())
                .toList();
    }

    /** Returns the settings of the contestant by name. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Returns the SQL query that counts pending events. */
    public String pending() {
        return pending;
    }

    /** Opens the journal of successful handler calls. */
    public Journal handled() throws IOException {
        return Journal.open(journals.resolve("handled"));
    }

    /** Opens the journal of committed events. */
    public Journal committed() throws IOException {
        return Journal.open(journals.resolve("committed"));
    }

    /** Opens the journal of claims, which only this library writes. */
    public Journal claims() throws IOException {
        return Journal.open(journals.resolve("claims"));
    }

    /** Returns the processor time of the process so far; 0 if the system does not report it. */
    public long cpuNanos() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    /** Closes the contestant, as an application does at shutdown, and ends the process. */
    public void closeGently() throws IOException {
        send("close");
        close();
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
