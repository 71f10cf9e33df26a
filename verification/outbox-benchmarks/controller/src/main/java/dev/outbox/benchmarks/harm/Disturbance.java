package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import java.time.Duration;

/** Disturbance of a service that publishes and delivers at a steady rate. */
interface Disturbance {

    /** Returns the name, without the prefix {@code harm-}. */
    String name();

    /** Prepares the database, after its tables were created. */
    default void prepare(Arena arena) throws Exception {}

    /** Disturbs for the duration, unless it ends by itself, and returns the amount of work it did if it can be counted. */
    long disturb(Arena arena, WorkerProcess worker, Duration duration) throws Exception;
}
