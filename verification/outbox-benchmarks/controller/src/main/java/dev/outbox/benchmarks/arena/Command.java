package dev.outbox.benchmarks.arena;

import dev.outbox.benchmarks.worker.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/** Command to a worker, with its values. */
public final class Command {

    private final String verb;
    private final Map<String, String> values = new LinkedHashMap<>();

    private Command(String verb) {
        this.verb = verb;
    }

    /** Begins a command. */
    public static Command to(String verb) {
        return new Command(verb);
    }

    /** Adds a number. */
    public Command with(String name, int value) {
        return with(name, Integer.toString(value));
    }

    /** Adds a flag. */
    public Command with(String name, boolean value) {
        return with(name, Boolean.toString(value));
    }

    /** Adds a text. */
    public Command with(String name, String value) {
        values.put(name, value);
        return this;
    }

    Message message() {
        return new Message(verb, values);
    }
}
