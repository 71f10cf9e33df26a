package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** Retention that moves old history to the archive. */
record RunningRetention(long history, int keys) implements Disturbance {

    /** More than the 30 days that retention keeps by default. */
    private static final int YOUNGEST_DAYS = 31;

    @Override
    public String name() {
        return "retention";
    }

    @Override
    public void prepare(Arena arena) throws SQLException {
        Tables.addHistory(arena.server(), history, keys, YOUNGEST_DAYS);
    }

    @Override
    public long disturb(Arena arena, WorkerProcess worker, Duration duration) throws IOException {
        return worker.send(Command.to("perform").with("task", "retention")).longNumber("result");
    }
}
