package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Waits until everything has been handled, and the contestant has written down that it was. */
public final class Progress {

    private static final Duration LOOK_EVERY = Duration.ofMillis(5);

    private final Arena arena;
    private final List<Journal> handled = new ArrayList<>();

    /**
     * Begins to watch.
     *
     * @param arena whose processes to watch; all have been started
     * @throws IOException if a journal cannot be read
     */
    public Progress(Arena arena) throws IOException {
        this.arena = arena;
        for (WorkerProcess worker : arena.workers()) {
            handled.add(worker.handled());
        }
    }

    /**
     * Returns how many calls have ended well so far.
     *
     * @return the number of calls, repeated ones included
     */
    public long calls() {
        return handled.stream().mapToLong(Journal::size).sum();
    }

    /**
     * Waits until so many calls have ended well, or until it takes too long.
     *
     * @param calls how many
     * @param deadline the latest time ({@link System#nanoTime})
     */
    public void awaitCalls(long calls, long deadline) {
        while (calls() < calls && System.nanoTime() < deadline) {
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
        }
    }

    /**
     * Waits until the calls have been made and nothing is left in the database, or until it takes too long. How long the look into
     * the database takes, which may have to go through many dead rows, does not count.
     *
     * @param calls how many
     * @param deadline the latest time ({@link System#nanoTime})
     * @return when that was so; negative if it took too long
     * @throws SQLException if the server refuses to tell
     */
    public long await(long calls, long deadline) throws SQLException {
        String pending = arena.workers().get(0).pending();
        awaitCalls(calls, deadline);
        long looked = System.nanoTime();
        while (arena.server().number(pending) > 0 && looked < deadline) {
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
            looked = System.nanoTime();
        }
        return looked < deadline ? looked : -1;
    }
}
