package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Measurement;
import java.time.Duration;
import java.util.Map;

/** Completes scattered events that failed once, after a checkpoint: the first change of each page writes the page to the WAL. */
final class CheckpointedRetries extends Harm {

    /** Longer than the first pass takes. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(20);

    CheckpointedRetries() {
        super("checkpoint", "events=5000 failing=10");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        publishBacklog(arena, parameters.number("events"), 0, parameters.number("keys"));
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool())
                .with(new Role.Calls(0, parameters.number("failing"), 0))
                .with(Map.of("outbox.retry.delays", RETRY_AFTER.toMillis() + "ms")));
        arena.server().settle();
        worker.remote().start();
        awaitDispatch(arena);
        long waiting = arena.server().number("SELECT count(*) FROM events.outbox_delivery");
        arena.server().execute("CHECKPOINT");

        Usage before = arena.usage();
        long left = awaitDeliveries(arena, 0);
        Usage used = arena.usage().since(before);
        return new Measurement()
                .with("WAL B/retry", (double) used.walBytes() / (waiting - left))
                .with("retries", (double) (waiting - left))
                .with("left", (double) left);
    }
}
