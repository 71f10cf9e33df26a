package dev.outbox.chaos.fleet;

import dev.outbox.chaos.process.ChaosProcess;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One life of a process, from its start to its end. */
final class Life {

    private final String name;
    private final Path ready;
    private final Process process;
    private volatile boolean endExpected;

    private Life(String name, Path directory, Process process) {
        this.name = name;
        this.ready = directory.resolve(name + ChaosProcess.READY);
        this.process = process;
    }

    static Life begin(String name, Path directory, List<String> options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                ChaosProcess.class.getName(),
                option(ChaosProcess.NAME, name),
                option(ChaosProcess.DIRECTORY, directory.toString())));
        command.addAll(options);
        File log = directory.resolve(name + ".log").toFile();
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log)
                    .start();
            return new Life(name, directory, process);
        } catch (IOException e) {
            throw new UncheckedIOException("Process " + name + " could not be started", e);
        }
    }

    static String option(String property, Object value) {
        return "--" + property + "=" + value;
    }

    String name() {
        return name;
    }

    boolean isReady() {
        return process.isAlive() && hasBeenReady();
    }

    boolean hasBeenReady() {
        return Files.exists(ready);
    }

    boolean isEndExpected() {
        return endExpected;
    }

    void kill() {
        endExpected = true;
        process.destroyForcibly();
        awaitEnd();
    }

    void signal(Signal signal) {
        signal.sendTo(process);
    }

    /** Writes a command to its standard input; one that has ended does not get it. */
    void tell(String command) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((command + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // It has ended.
        }
    }

    void expectEnd() {
        endExpected = true;
    }

    void awaitEnd() {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while " + name + " ends", e);
        }
    }

    boolean hasEnded() {
        return !process.isAlive();
    }
}
