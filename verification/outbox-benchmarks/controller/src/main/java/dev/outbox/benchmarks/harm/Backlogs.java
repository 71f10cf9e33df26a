package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.harm.Harm.Window;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import dev.outbox.benchmarks.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Duration of claims beside many pending events; with none pending, of claims of one or two events.
 *
 * @param pending the number of pending events at the start
 * @param handled the number of events to handle
 * @param harm the settings of all harm tests
 */
record Backlogs(long pending, int handled, Harm harm) implements Workload {

    private static final int TRICKLE = 200;
    private static final Duration LOOK_EVERY = Duration.ofMillis(5);

    @Override
    public String name() {
        return "harm-claim";
    }

    @Override
    public Map<String, String> parameters() {
        return Map.of("pending", Long.toString(pending));
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("claim p50 ms", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        Tables.addPending(arena.server(), pending, harm.keys());
        arena.server().settle();
        WorkerProcess worker = harm.deliverer(arena);
        long begun = System.nanoTime();
        worker.send("start");
        if (pending == 0) {
            trickle(worker);
        } else {
            Progress progress = new Progress(arena);
            long deadline = begun + harm.limits().longest().toNanos();
            while (progress.calls() < Math.min(handled, pending) && System.nanoTime() < deadline) {
                Pause.of(LOOK_EVERY);
            }
        }
        Percentiles claims = Harm.claims(worker, new Window(begun, System.nanoTime()));
        return new Measurement()
                .with("claim", claims)
                .with("claims", claims.size())
                .with("handled", worker.handled().size())
                .with(worker.settings());
    }

    private void trickle(WorkerProcess worker) throws Exception {
        worker.send(Command.to("accounts").with("accounts", harm.keys()));
        worker.send(Command.to("pace")
                .with("rate", TRICKLE)
                .with("threads", 1)
                .with("keys", harm.keys())
                .with("shared", false)
                .with("seconds", Math.max(1, handled / TRICKLE)));
        worker.send("await");
    }
}
