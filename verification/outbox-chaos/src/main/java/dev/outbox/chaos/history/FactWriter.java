package dev.outbox.chaos.history;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import tools.jackson.databind.json.JsonMapper;

/**
 * Appends the facts of one life of a process to a file of its own, one line of JSON and one system call each: what was written survives
 * the death of the process. May be used by any thread, also by an interrupted one.
 */
public final class FactWriter implements AutoCloseable {

    static final String EXTENSION = ".facts";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String process;
    // Not a channel: an interrupted thread would close it.
    private final FileOutputStream file;

    private FactWriter(String process, FileOutputStream file) {
        this.process = process;
        this.file = file;
    }

    /** Begins the file of a process. Fails if it exists, because the name belongs to another life. */
    public static FactWriter open(Path directory, String process) {
        try {
            Files.createDirectories(directory);
            Path path = Files.createFile(directory.resolve(process + EXTENSION));
            return new FactWriter(process, new FileOutputStream(path.toFile(), true));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot begin the facts of " + process + " in " + directory, e);
        }
    }

    /** Returns the name of the process, for the facts that carry it. */
    public String process() {
        return process;
    }

    /** Writes a fact. It is in the file, and not only in memory, when this returns. */
    public void write(Fact fact) {
        byte[] json = JSON.writerFor(Fact.class).writeValueAsBytes(fact);
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        try {
            synchronized (file) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write a fact of " + process, e);
        }
    }

    /** Writes that a handler starts with an event. */
    public void started(String handlerId, EventEnvelope event, EventContext context) {
        write(new Fact.Started(
                System.nanoTime(),
                process,
                handlerId,
                event.eventId(),
                event.aggregateType(),
                event.aggregateId(),
                event.sequence(),
                context.attempt(),
                event.payload(),
                event.headers(),
                event.replayed()));
    }

    /** Writes that a handler has ended with an event. */
    public void ended(String handlerId, EventEnvelope event, EventContext context, Fact.Outcome outcome) {
        write(new Fact.Ended(System.nanoTime(), process, handlerId, event.eventId(), context.attempt(), outcome));
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot close the facts of " + process, e);
        }
    }
}
