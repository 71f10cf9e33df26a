package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.options.Options;
import java.time.Duration;

/**
 * Limits of all workloads.
 *
 * @param longest the longest time that a run waits for deliveries
 * @param joining the time that several processes have to find each other
 * @param pool the largest number of connections of a process at tuned settings
 */
public record Limits(Duration longest, Duration joining, int pool) {

    /** Default size of HikariCP's pool, and so of Spring Boot's. */
    private static final int DEFAULT_POOL = 10;

    /** Reads the limits from options. */
    public static Limits of(Options options) {
        return new Limits(
                Duration.ofSeconds(options.number("limit", 120)),
                Duration.ofSeconds(options.number("joining", 12)),
                options.number("pool", 32));
    }

    /** Returns the pool size of an entrant that delivers. */
    public int pool(Entrant entrant) {
        return entrant.tuned() ? pool : DEFAULT_POOL;
    }

    void awaitJoining() {
        Pause.of(joining);
    }
}
