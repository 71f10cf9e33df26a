package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.options.Options;
import java.time.Duration;

/**
 * What all workloads share.
 *
 * @param longest the longest time that a run may wait for deliveries
 * @param joining the time that several processes get to find each other
 * @param pool the largest number of connections of a process at tuned settings
 */
public record Limits(Duration longest, Duration joining, int pool) {

    /** The size of HikariCP's pool, and so of Spring Boot's, when nothing is configured. */
    private static final int DEFAULT_POOL = 10;

    /** Takes the limits from options. */
    public static Limits of(Options options) {
        return new Limits(
                Duration.ofSeconds(options.number("limit", 120)),
                Duration.ofSeconds(options.number("joining", 12)),
                options.number("pool", 32));
    }

    /** The pool of an entrant that delivers. */
    public int pool(Entrant entrant) {
        return entrant.tuned() ? pool : DEFAULT_POOL;
    }

    void awaitJoining() {
        Pause.of(joining);
    }
}
