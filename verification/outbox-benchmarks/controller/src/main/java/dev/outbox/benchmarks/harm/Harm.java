package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.worker.Pause;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** Workload of this library alone. */
abstract class Harm implements Workload {

    private static final Duration LOOK_EVERY = Duration.ofMillis(100);

    private final String name;
    private final Map<String, String> options;

    /** Adds the number of accounts to the options, which come with their defaults. */
    Harm(String name, String options) {
        this.name = name;
        this.options = Options.defaults(options + " keys=1000");
    }

    @Override
    public final String name() {
        return "harm-" + name;
    }

    @Override
    public final String prefix() {
        return "harm.";
    }

    @Override
    public final Map<String, String> options() {
        return options;
    }

    @Override
    public boolean suits(Entrant entrant, Case parameters) {
        return entrant.isOutbox();
    }

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
    static void createTables(Arena arena) throws Exception {
        arena.open(Role.publisher(arena.pool())).close();
    }

    /** Starts a process that publishes a backlog, and ends it. */
    static WorkerProcess publishBacklog(Arena arena, int events, int firstKey, int keys) throws Exception {
        WorkerProcess publisher = arena.open(Role.publisher(arena.pool()));
        publisher.remote().publishBacklog(events, firstKey, keys);
        publisher.close();
        return publisher;
    }

    /** Waits until all events are handled, failed or queued in a lane, or the time of a run is over. */
    static long awaitDispatch(Arena arena) throws SQLException {
        return await(arena, "SELECT count(*) FROM events.outbox_unpublished WHERE dispatched_at IS NULL", 0);
    }

    /** Waits until so many deliveries are left, or the time of a run is over. Returns how many are left. */
    static long awaitDeliveries(Arena arena, long left) throws SQLException {
        return await(arena, "SELECT count(*) FROM events.outbox_delivery", left);
    }

    /** Waits until a count is not above a number, or the time of a run is over. Returns the count. */
    static long await(Arena arena, String count, long left) throws SQLException {
        long deadline = arena.deadline();
        while (true) {
            long open = arena.server().number(count);
            if (open <= left || System.nanoTime() > deadline) {
                return open;
            }
            Pause.of(LOOK_EVERY);
        }
    }

    /** Returns the claims within a window. Empty ones count, because they block other claims as well. */
    static Percentiles claims(WorkerProcess worker, Window window) throws IOException {
        return new Percentiles(worker.claims().entries().stream()
                .filter((claim) -> window.holds(claim.begun()))
                .mapToLong((claim) -> claim.ended() - claim.begun()));
    }
}
