package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.workload.Limits;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Percentiles;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Settings of all harm tests.
 *
 * @param limits the time limits
 * @param keys the number of accounts
 */
record Harm(Limits limits, int keys) {

    /** Interval of {@link System#nanoTime}. */
    record Window(long begin, long end) {

        boolean holds(long time) {
            return begin <= time && time < end;
        }

        double seconds() {
            return (end - begin) / 1e9;
        }
    }

    /** Creates the tables and ends the process that did. */
    void createTables(Arena arena) throws IOException {
        publisher(arena).close();
    }

    WorkerProcess publisher(Arena arena) throws IOException {
        return arena.open(new Role(false, 1, limits.pool(arena.entrant()), Role.Calls.NOTHING));
    }

    WorkerProcess deliverer(Arena arena) throws IOException {
        return arena.open(new Role(true, 1, limits.pool(arena.entrant()), Role.Calls.NOTHING));
    }

    /** Waits until so many deliveries are left, or the time of a run is over. Returns how many are left. */
    long awaitDeliveries(Arena arena, long left, Duration lookEvery) throws SQLException {
        long deadline = System.nanoTime() + limits.longest().toNanos();
        while (true) {
            long open = arena.server().number("SELECT count(*) FROM events.outbox_delivery");
            if (open <= left || System.nanoTime() > deadline) {
                return open;
            }
            Pause.of(lookEvery);
        }
    }

    /** Returns the claims within a window. Empty ones count, because they block other claims as well. */
    static Percentiles claims(WorkerProcess worker, Window window) throws IOException {
        return new Percentiles(worker.claims().entries().stream()
                .filter((claim) -> window.holds(claim.begun()))
                .mapToLong((claim) -> claim.ended() - claim.begun()));
    }
}
