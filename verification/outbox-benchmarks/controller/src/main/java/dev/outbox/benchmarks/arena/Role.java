package dev.outbox.benchmarks.arena;

import java.util.Map;

/**
 * Role of a process.
 *
 * @param delivers whether it delivers
 * @param pool the largest number of connections
 * @param calls the behaviour of the handlers
 * @param properties Spring properties of this process
 */
public record Role(boolean delivers, int pool, Calls calls, Map<String, String> properties) {

    /** Creates the role of a process whose calls return at once. */
    public static Role deliverer(int pool) {
        return new Role(true, pool, Calls.NOTHING);
    }

    /** Creates the role of a process that only publishes. */
    public static Role publisher(int pool) {
        return new Role(false, pool, Calls.NOTHING);
    }

    /** Creates a role without properties. */
    public Role(boolean delivers, int pool, Calls calls) {
        this(delivers, pool, calls, Map.of());
    }

    /**
     * Behaviour of the handlers.
     *
     * @param work the wait of each call in milliseconds
     * @param failing the percentage of calls that fail once
     * @param poisoned accounts below this number always fail
     */
    public record Calls(int work, int failing, int poisoned) {

        /** Calls that return at once. */
        public static final Calls NOTHING = new Calls(0, 0, 0);
    }
}
