package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.workload.Pause;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Open transaction that has published an event with a low id. */
record HeldTransaction() implements Disturbance {

    private static final String COUNT = """
            INSERT INTO events.outbox_aggregate (aggregate_type, aggregate_id, last_seq)
            VALUES ('held', '1', 1)
            """;

    private static final String PUBLISH = """
            INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
            VALUES ('held', '1', 1, 'AccountChanged', '{}')
            """;

    @Override
    public String name() {
        return "transaction";
    }

    @Override
    public long disturb(Arena arena, WorkerProcess worker, Duration duration) throws SQLException {
        try (Connection connection = arena.server().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(COUNT);
            statement.execute(PUBLISH);
            Pause.of(duration);
            connection.rollback();
        }
        return 0;
    }
}
