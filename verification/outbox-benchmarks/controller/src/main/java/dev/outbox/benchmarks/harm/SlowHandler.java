package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.FirstCalls;
import dev.outbox.benchmarks.workload.Measurement;
import java.util.List;
import java.util.Map;

/**
 * Publishes at a steady rate for a healthy handler, beside 200 due lanes of one whose calls time out. An event that is
 * not handled at the end has waited until then.
 */
final class SlowHandler extends Harm {

    private static final int LANES = 200;
    private static final int RATE = 20;

    SlowHandler() {
        super("slow", "concurrency=1,2 timeout=2000 seconds=5");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        createTables(arena);
        Tables.addDueLanes(arena.server(), List.of("slow"), LANES, 1);
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool())
                .with(Map.of(
                        "outbox.poller.batch-size",
                        "50",
                        "outbox.poller.concurrency",
                        parameters.text("concurrency"),
                        "outbox.retry.max-attempts",
                        "1000000",
                        "benchmark.slow-handler",
                        parameters.text("timeout"))));
        int keys = parameters.number("keys");
        worker.remote().createAccounts(keys);
        arena.server().settle();
        worker.remote().start();
        worker.remote().publishAtRate(RATE, 1, keys, parameters.number("seconds"));
        long ended = System.nanoTime();
        FirstCalls handled = FirstCalls.of(worker);
        List<Entry> committed = worker.committed().entries();
        return new Measurement()
                .with("commit to handler", handled.sinceCommit(committed, ended))
                .with("handled", (double) handled.begun().size() / committed.size());
    }
}
