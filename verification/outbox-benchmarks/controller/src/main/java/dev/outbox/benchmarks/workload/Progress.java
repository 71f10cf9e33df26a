package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal;
import dev.outbox.benchmarks.worker.Pause;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Waits until every event is handled and the contestant has recorded it. */
public final class Progress {

    private static final Duration LOOK_EVERY = Duration.ofMillis(5);

    private final Arena arena;
    private final List<Journal> handled = new ArrayList<>();

    /** Opens the journals of all started processes. */
    public Progress(Arena arena) throws IOException {
        this.arena = arena;
        for (WorkerProcess worker : arena.workers()) {
            handled.add(worker.handled());
        }
    }

    /** Returns the number of successful calls so far, repeated ones included. */
    public long calls() {
        return handled.stream().mapToLong(Journal::size).sum();
    }

    /** Waits for a number of successful calls, or until the deadline. */
    public void awaitCalls(long calls, long deadline) {
        while (calls() < calls && System.nanoTime() < deadline) {
            Pause.of(LOOK_EVERY);
        }
    }

    /**
     * Waits for the calls and an empty database, and returns the time of both, or a negative number after the deadline.
     * The duration of the last query does not count, because it may read many dead rows.
     */
    public long await(long calls, long deadline) throws SQLException {
        String pending = arena.workers().get(0).pending();
        awaitCalls(calls, deadline);
        long looked = System.nanoTime();
        while (arena.server().number(pending) > 0 && looked < deadline) {
            Pause.of(LOOK_EVERY);
            looked = System.nanoTime();
        }
        return looked < deadline ? looked : -1;
    }
}
