package dev.outbox.benchmarks.worker;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a contestant is to run with.
 *
 * @param database where
 * @param role what as
 * @param handling what every handler does
 * @param steps takes the contestant's own steps, of those that tell them
 * @param properties what else was asked for, by the names of Spring properties
 */
public record Setup(Database database, Role role, Handling handling, Journal steps, Map<String, String> properties) {

    /** How soon a failed call is tried again at tuned settings. */
    public static final int RETRY_AFTER_MILLIS = 1000;

    /** The kind of step in which a batch was taken; its number is that of the batch's events. */
    public static final int CLAIM = 0;

    /** The kind of step in which outcomes were written; its number is that of their events. */
    public static final int SETTLE = 1;

    /**
     * The database and how to connect to it.
     *
     * @param url its address, with the driver's settings
     * @param user who
     * @param password with what
     * @param pool the largest number of connections
     */
    public record Database(String url, String user, String password, int pool) {}

    /**
     * What the process is there for.
     *
     * @param tuned whether at the contestant's best documented settings, not at its defaults
     * @param delivers whether it delivers events; another one only publishes
     * @param handlers how many handlers every event has
     */
    public record Role(boolean tuned, boolean delivers, int handlers) {

        /** Checks the values. */
        public Role {
            if (handlers < 1 || handlers > 3) {
                throw new IllegalArgumentException("handlers must lie between 1 and 3: " + handlers);
            }
        }
    }

    /** Keeps the properties from changing. */
    public Setup {
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    /** The prefix of properties that are passed on. */
    static final String PROPERTY = "property.";

    static Setup of(Message open) throws Exception {
        Path journals = Path.of(open.get("journals"));
        Map<String, String> properties = new TreeMap<>();
        open.values().forEach((name, value) -> {
            if (name.startsWith(PROPERTY)) {
                properties.put(name.substring(PROPERTY.length()), value);
            }
        });
        Journal handled = Journal.create(journals.resolve("handled"), open.number("capacity"));
        return new Setup(
                new Database(open.get("url"), open.get("user"), open.get("password"), open.number("pool")),
                new Role(open.flag("tuned"), open.flag("delivers"), open.number("handlers")),
                new Handling(
                        open.number("work"), new Failures(open.number("failing"), open.number("poisoned")), handled),
                Journal.create(journals.resolve("steps"), open.number("capacity")),
                properties);
    }
}
