package dev.outbox.chaos.fleet;

import dev.outbox.chaos.process.ChaosProcess;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One life of a process, from its start to its end. */
final class Life {

    private static final int HEAP = 192;

    private final String name;
    private final Path ready;
    private final JavaProcess process;
    private volatile boolean endExpected;

    private Life(String name, Path directory, JavaProcess process) {
        this.name = name;
        this.ready = directory.resolve(name + ChaosProcess.READY);
        this.process = process;
    }

    static Life begin(String name, Path directory, List<String> options) {
        List<String> all = new ArrayList<>(
                List.of(option(ChaosProcess.NAME, name), option(ChaosProcess.DIRECTORY, directory.toString())));
        all.addAll(options);
        Redirect log = Redirect.to(directory.resolve(name + ".log").toFile());
        return new Life(name, directory, JavaProcess.start(ChaosProcess.class, HEAP, log, all));
    }

    static String option(String property, Object value) {
        return "--" + property + "=" + value;
    }

    String name() {
        return name;
    }

    JavaProcess process() {
        return process;
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
        process.kill();
    }

    /** Writes a command to its standard input; one that has ended does not get it. */
    void tell(String command) {
        try {
            process.tell(command);
        } catch (IOException e) {
            // It has ended.
        }
    }

    void expectEnd() {
        endExpected = true;
    }
}
