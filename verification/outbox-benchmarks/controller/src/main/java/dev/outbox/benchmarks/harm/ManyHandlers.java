package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Redelivers, after an outage that all handlers shared, 60 lanes of each handler in batches of 50. Each handler takes
 * five event types.
 *
 * @param handlers the number of handlers
 * @param harm the settings of all harm tests
 */
record ManyHandlers(int handlers, Harm harm) implements Workload {

    private static final int LANES = 60;
    private static final int BATCH = 50;

    @Override
    public String name() {
        return "harm-handlers";
    }

    @Override
    public Map<String, String> parameters() {
        return Map.of("handlers", Integer.toString(handlers));
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("server CPU ms/batch", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        List<String> ids = IntStream.range(0, handlers)
                .mapToObj((handler) -> "idle-" + handler)
                .toList();
        Tables.addDueLanes(arena.server(), ids, LANES, 1);
        WorkerProcess worker = arena.open(new Role(
                true,
                1,
                harm.limits().pool(arena.entrant()),
                Role.Calls.NOTHING,
                Map.of(
                        "outbox.poller.batch-size",
                        Integer.toString(BATCH),
                        "benchmark.idle-handlers",
                        Integer.toString(handlers))));
        arena.server().settle();
        Usage before = arena.usage();
        worker.send("start");
        long left = harm.awaitDeliveries(arena, 0, Duration.ofMillis(200));
        Usage used = arena.usage().since(before);
        double done = (double) handlers * LANES - left;
        return new Measurement()
                .with("server CPU ms/batch", used.serverCpuNanos() / 1e6 / (done / BATCH))
                .with("redeliveries/s", done / (used.nanos() / 1e9))
                .with("finished", left == 0 ? 1 : 0)
                .with(worker.settings());
    }
}
