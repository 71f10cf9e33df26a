package dev.outbox.benchmarks.arena;

import dev.outbox.benchmarks.worker.Journal;
import dev.outbox.benchmarks.worker.Message;
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
    record Launch(ClassPath classPath, List<String> jvmOptions, Path directory, Command open) {}

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
            opened = new LinkedHashMap<>(worker.send(
                            launch.open().with("journals", launch.directory().toString()))
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
        return send(Command.to(verb));
    }

    /** Sends a command, and waits for the answer. */
    public Message send(Command command) throws IOException {
        String verb = command.message().verb();
        commands.write(command.message().encode() + "\n");
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

    /** Returns the settings of the contestant by name. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Returns the SQL query that counts pending deliveries; events, where all handlers share a row. */
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

    /**
     * Ends the process without closing the contestant. The JVM exits by itself, so it writes the archive or AOT cache
     * that its options request.
     */
    void end() throws IOException {
        try {
            commands.close();
            process.waitFor(CLOSING.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
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
