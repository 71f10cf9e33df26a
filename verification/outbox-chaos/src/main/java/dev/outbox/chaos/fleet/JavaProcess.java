package dev.outbox.chaos.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVM with the class path of this one, which obeys lines on its standard input. */
public final class JavaProcess {

    private final Process process;

    private JavaProcess(Process process) {
        this.process = process;
    }

    /** Starts a class with a heap of some megabytes. */
    public static JavaProcess start(Class<?> main, int heap, Redirect output, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap + "m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        try {
            return new JavaProcess(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException("A process of " + main + " could not be started", e);
        }
    }

    /** Its output, unless that is redirected. */
    public InputStream output() {
        return process.getInputStream();
    }

    /** Writes a line to its standard input. */
    public void tell(String line) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /** Returns whether it has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGKILL, and returns when it has ended. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Sends SIGSTOP. */
    public void suspend() {
        signal("STOP");
    }

    /** Sends SIGCONT. */
    public void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        String failure = "SIG" + signal + " could not be sent to process " + process.pid();
        try {
            ProcessBuilder kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid());
            if (waitFor(kill.inheritIO().start()) != 0) {
                throw new IllegalStateException(failure);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(failure, e);
        }
    }

    /** Returns when it has ended. */
    public void awaitEnd() {
        waitFor(process);
    }

    private static int waitFor(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a process ends", e);
        }
    }
}
