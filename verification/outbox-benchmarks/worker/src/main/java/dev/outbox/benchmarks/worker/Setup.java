package dev.outbox.benchmarks.worker;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Setup of a contestant.
 *
 * @param database the database
 * @param role the role of the process
 * @param handling the handler
 * @param claims the journal of claims; the number of an entry is that of the claimed events
 * @param properties additional Spring properties by name
 */
public record Setup(Database database, Role role, Handling handling, Journal claims, Map<String, String> properties) {

    /** Delay of a retry at tuned settings. */
    public static final int RETRY_AFTER_MILLIS = 1000;

    /**
     * Database and connection settings.
     *
     * @param url the JDBC URL with the driver's settings
     * @param user the user
     * @param password the password
     * @param pool the largest number of connections
     */
    public record Database(String url, String user, String password, int pool) {}

    /**
     * Role of a process.
     *
     * @param tuned whether it has the contestant's best settings instead of its defaults
     * @param delivers whether it delivers events or only publishes
     */
    public record Role(boolean tuned, boolean delivers) {}

    /** Copies the properties. */
    public Setup {
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    /** Returns the same setup with another number of connections. */
    public Setup withPool(int connections) {
        return new Setup(
                new Database(database.url(), database.user(), database.password(), connections),
                role,
                handling,
                claims,
                properties);
    }

    /** Prefix of properties for the contestant. */
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
                new Role(open.flag("tuned"), open.flag("delivers")),
                new Handling(
                        open.number("work"), new Failures(open.number("failing"), open.number("poisoned")), handled),
                Journal.create(journals.resolve("claims"), open.number("capacity")),
                properties);
    }
}
