package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.workload.Pause;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Open transaction with a snapshot, so that VACUUM cannot remove rows deleted since. */
record HeldSnapshot() implements Disturbance {

    @Override
    public String name() {
        return "snapshot";
    }

    @Override
    public long disturb(Arena arena, WorkerProcess worker, Duration duration) throws SQLException {
        try (Connection connection = arena.server().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            statement.execute("SELECT count(*) FROM events.outbox_unpublished");
            Pause.of(duration);
            connection.rollback();
        }
        return 0;
    }
}
