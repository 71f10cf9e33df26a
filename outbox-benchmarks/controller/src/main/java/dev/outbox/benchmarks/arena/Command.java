package dev.outbox.benchmarks.arena;

import dev.outbox.benchmarks.worker.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a worker is told, with the values that it needs. */
public final class Command {

    private final String verb;
    private final Map<String, String> values = new LinkedHashMap<>();

    private Command(String verb) {
        this.verb = verb;
    }

    /**
     * Begins a command.
     *
     * @param verb what to do
     * @return the command, without values
     */
    public static Command to(String verb) {
        return new Command(verb);
    }

    /**
     * Adds a number.
     *
     * @param name its name
     * @param value its value
     * @return this command
     */
    public Command with(String name, int value) {
        return with(name, Integer.toString(value));
    }

    /**
     * Adds a flag.
     *
     * @param name its name
     * @param value its value
     * @return this command
     */
    public Command with(String name, boolean value) {
        return with(name, Boolean.toString(value));
    }

    /**
     * Adds a text.
     *
     * @param name its name
     * @param value its value
     * @return this command
     */
    public Command with(String name, String value) {
        values.put(name, value);
        return this;
    }

    Message message() {
        return new Message(verb, values);
    }
}
