package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import java.time.Duration;

/** Something that goes on while events are published and delivered at a steady rate. */
interface Disturbance {

    /** Its name, behind {@code harm-}. */
    String name();

    /** Prepares the database, whose tables exist. */
    default void prepare(Arena arena) throws Exception {}

    /**
     * Goes on for a while.
     *
     * @param arena where
     * @param worker who publishes and delivers
     * @param duration how long it lasts, if it does not end by itself
     * @return how much it has done, where that can be counted
     */
    long disturb(Arena arena, WorkerProcess worker, Duration duration) throws Exception;
}
