package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;

/** Duration of claims beside many pending events; with none pending, of claims of one or two events. */
final class Backlogs extends Harm {

    private static final int TRICKLE = 200;

    Backlogs() {
        super("claim", "pending=0,10000 handled=5000");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int pending = parameters.number("pending");
        int handled = parameters.number("handled");
        int keys = parameters.number("keys");
        createTables(arena);
        Tables.addPending(arena.server(), pending, keys);
        arena.server().settle();
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool()));
        long begun = System.nanoTime();
        worker.remote().start();
        if (pending == 0) {
            worker.remote().createAccounts(keys);
            worker.remote().publishAtRate(TRICKLE, 1, keys, Math.max(1, handled / TRICKLE));
        } else {
            new Progress(arena).awaitCalls(Math.min(handled, pending), arena.deadline());
        }
        Percentiles claims = claims(worker, new Window(begun, System.nanoTime()));
        return new Measurement()
                .with("claim", claims)
                .with("claims", claims.size())
                .with("handled", worker.handled().size());
    }
}
