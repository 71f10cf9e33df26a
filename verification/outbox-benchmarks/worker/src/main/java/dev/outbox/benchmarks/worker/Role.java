package dev.outbox.benchmarks.worker;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * Role of a process.
 *
 * @param delivers whether it delivers events or only publishes
 * @param pool the largest number of connections
 * @param calls the behaviour of the handler
 * @param properties Spring properties of this process
 */
public record Role(boolean delivers, int pool, Calls calls, Map<String, String> properties) implements Serializable {

    /**
     * Behaviour of the handler.
     *
     * @param work the wait of each call in milliseconds
     * @param failing the percentage of calls that fail once
     * @param poisoned accounts below this number always fail
     */
    public record Calls(int work, int failing, int poisoned) implements Serializable {}

    /** Creates the role of a process whose calls return at once. */
    public static Role deliverer(int pool) {
        return new Role(true, pool, new Calls(0, 0, 0), Map.of());
    }

    /** Creates the role of a process that only publishes. */
    public static Role publisher(int pool) {
        return new Role(false, pool, new Calls(0, 0, 0), Map.of());
    }

    /** Returns the role with another behaviour of the handler. */
    public Role with(Calls other) {
        return new Role(delivers, pool, other, properties);
    }

    /** Returns the role with more properties, which take precedence. */
    public Role with(Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(properties);
        all.putAll(more);
        return new Role(delivers, pool, calls, all);
    }

    /** Returns the role with another number of connections. */
    public Role withPool(int connections) {
        return new Role(delivers, connections, calls, properties);
    }
}
