package dev.outbox.chaos.matrix;

import dev.outbox.chaos.fleet.JavaProcess;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** Process of the matrix as its parent sees it. Used by one thread. */
final class ActorProcess implements AutoCloseable {

    private static final int HEAP = 128;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final JavaProcess process;
    private final Path log;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> hits = new LinkedBlockingQueue<>();
    private boolean ready;

    private ActorProcess(JavaProcess process, Path log) {
        this.process = process;
        this.log = log;
        Thread reader = new Thread(this::read, "output of " + log.getFileName());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a process; returns at once. Its output goes to the log. */
    static ActorProcess start(Path log) {
        return new ActorProcess(JavaProcess.start(ActorMain.class, HEAP, Redirect.PIPE, List.of()), log);
    }

    private void read() {
        try (BufferedReader output =
                        new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8));
                BufferedWriter copy = Files.newBufferedWriter(log)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.equals(ActorMain.SAYS + ActorMain.HIT)) {
                    hits.add(line);
                } else if (line.startsWith(ActorMain.SAYS)) {
                    answers.add(line.substring(ActorMain.SAYS.length()));
                }
                copy.write(line);
                copy.newLine();
                copy.flush();
            }
        } catch (IOException e) {
            answers.add(ActorMain.FAILED + " " + e);
        }
    }

    void begin(Assignment assignment) {
        hits.clear();
        call("begin " + JSON.writeValueAsString(assignment));
    }

    /** Sends a command and waits until it is done. */
    void call(String command) {
        tell(command);
        answer(command);
    }

    /** Sends a command; {@link #answer} waits for its result. */
    void tell(String command) {
        if (!ready) {
            ready = true;
            answer("its start");
        }
        try {
            process.tell(command);
        } catch (IOException e) {
            throw new UncheckedIOException("The process has ended before " + command + "; see " + log, e);
        }
    }

    void answer(String command) {
        String answer = poll(answers, PATIENCE);
        if (!ActorMain.DONE.equals(answer)) {
            throw new IllegalStateException(
                    "The process did not obey " + command.split(" ", 2)[0] + " but said " + answer + "; see " + log);
        }
    }

    /** Waits until the process stands at its fault point. Returns whether it does. */
    boolean isHitWithin(Duration patience) {
        return !poll(hits, patience).isEmpty();
    }

    private static String poll(BlockingQueue<String> lines, Duration patience) {
        try {
            String line = lines.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
            return line == null ? "" : line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a process works", e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL. Returns when the process is dead. */
    void kill() {
        process.kill();
    }

    void suspend() {
        process.suspend();
    }

    void resume() {
        process.resume();
    }

    @Override
    public void close() {
        kill();
    }
}
