package dev.outbox.benchmarks.arena;

import java.util.Map;

/**
 * What a process is started for.
 *
 * @param delivers whether it delivers
 * @param handlers how many handlers every event has
 * @param pool the largest number of connections
 * @param calls what the handlers do
 * @param properties Spring properties for this process alone
 */
public record Role(boolean delivers, int handlers, int pool, Calls calls, Map<String, String> properties) {

    /**
     * Describes a process without properties of its own.
     *
     * @param delivers whether it delivers
     * @param handlers how many handlers every event has
     * @param pool the largest number of connections
     * @param calls what the handlers do
     */
    public Role(boolean delivers, int handlers, int pool, Calls calls) {
        this(delivers, handlers, pool, calls, Map.of());
    }

    /**
     * What the handlers do.
     *
     * @param work milliseconds of waiting
     * @param failing percent of the calls fail once
     * @param poisoned accounts below this number always fail
     */
    public record Calls(int work, int failing, int poisoned) {

        /** Returns at once, always. */
        public static final Calls NOTHING = new Calls(0, 0, 0);
    }
}
