package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Workload;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Drains one lane in batches of 50, while a snapshot is held or not, and measures its last part.
 *
 * @param settled the number of deliveries that leave the lane before
 * @param held whether the snapshot is held
 * @param harm the settings of all harm tests
 */
record LongLane(int settled, boolean held, Harm harm) implements Workload {

    @Override
    public String name() {
        return "harm-lane";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("settled", Integer.toString(settled));
        parameters.put("snapshot", held ? "held" : "none");
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("deliveries/s", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        int measured = settled / 4;
        Tables.addDueLanes(arena.server(), List.of("idle-0"), 1, settled + measured);
        WorkerProcess worker = arena.open(new Role(
                true,
                1,
                harm.limits().pool(arena.entrant()),
                Role.Calls.NOTHING,
                Map.of("outbox.poller.batch-size", "50", "benchmark.idle-handlers", "1")));
        arena.server().settle();
        try (Connection connection = arena.server().connect();
                Statement statement = connection.createStatement()) {
            if (held) {
                connection.setAutoCommit(false);
                statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                statement.execute("SELECT count(*) FROM events.outbox_delivery");
            }
            worker.send("start");
            long first = harm.awaitDeliveries(arena, measured, Duration.ofMillis(200));
            long begun = System.nanoTime();
            long last = harm.awaitDeliveries(arena, 0, Duration.ofMillis(200));
            double seconds = (System.nanoTime() - begun) / 1e9;
            return new Measurement()
                    .with("deliveries/s", (first - last) / seconds)
                    .with("finished", last == 0 ? 1 : 0)
                    .with(worker.settings());
        }
    }
}
