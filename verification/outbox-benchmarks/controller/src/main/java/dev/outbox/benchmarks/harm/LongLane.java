package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Measurement;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** Drains one lane in batches of 50, while a snapshot is held or not, and measures its last part. */
final class LongLane extends Harm {

    LongLane() {
        super("lane", "settled=2000 snapshot=none,held");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int settled = parameters.number("settled");
        createTables(arena);
        int measured = settled / 4;
        Tables.addDueLanes(arena.server(), List.of("idle-0"), 1, settled + measured);
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool())
                .with(Map.of("outbox.poller.batch-size", "50", "benchmark.idle-handlers", "1")));
        arena.server().settle();
        try (Connection connection = arena.server().connect();
                Statement statement = connection.createStatement()) {
            if (parameters.text("snapshot").equals("held")) {
                connection.setAutoCommit(false);
                statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                statement.execute("SELECT count(*) FROM events.outbox_delivery");
            }
            worker.remote().start();
            long first = awaitDeliveries(arena, measured);
            long begun = System.nanoTime();
            long last = awaitDeliveries(arena, 0);
            double seconds = (System.nanoTime() - begun) / 1e9;
            return new Measurement()
                    .with("deliveries/s", (first - last) / seconds)
                    .with("finished", last == 0 ? 1 : 0);
        }
    }
}
