package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Measurement;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Redelivers, after an outage that all handlers shared, 60 lanes of each handler in batches of 50. Each handler takes
 * five event types.
 */
final class ManyHandlers extends Harm {

    private static final int LANES = 60;
    private static final int BATCH = 50;

    ManyHandlers() {
        super("handlers", "handlers=10,100");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int handlers = parameters.number("handlers");
        createTables(arena);
        List<String> ids = IntStream.range(0, handlers)
                .mapToObj((handler) -> "idle-" + handler)
                .toList();
        Tables.addDueLanes(arena.server(), ids, LANES, 1);
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool())
                .with(Map.of(
                        "outbox.poller.batch-size",
                        Integer.toString(BATCH),
                        "benchmark.idle-handlers",
                        Integer.toString(handlers))));
        arena.server().settle();
        Usage before = arena.usage();
        worker.remote().start();
        long left = awaitDeliveries(arena, 0);
        Usage used = arena.usage().since(before);
        double done = (double) handlers * LANES - left;
        return new Measurement()
                .with("server CPU ms/batch", used.serverCpuNanos() / 1e6 / (done / BATCH))
                .with("redeliveries/s", done / (used.nanos() / 1e9))
                .with("finished", left == 0 ? 1 : 0);
    }
}
