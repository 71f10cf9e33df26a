package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.worker.Published;
import dev.outbox.benchmarks.worker.Role;
import java.util.Map;

/** Changes an account and publishes one event in one transaction, as fast as a number of threads can. */
public final class Publish implements Workload {

    private static final String RATE = "transactions/s";

    /** Connections for delivery, beside those of the publishing threads. */
    private static final int OTHER_CONNECTIONS = 8;

    @Override
    public String name() {
        return "publish";
    }

    @Override
    public Map<String, String> options() {
        return Options.defaults("threads=8,1,32 poller=off,on keys=10000 warmup=5 seconds=20");
    }

    @Override
    public boolean suits(Entrant entrant, Case parameters) {
        return entrant.is(Kind.LIBRARY) || (entrant.is(Kind.FLOOR) && !polls(parameters));
    }

    private static boolean polls(Case parameters) {
        return parameters.text("poller").equals("on");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int threads = parameters.number("threads");
        int keys = parameters.number("keys");
        WorkerProcess worker = arena.open(Role.deliverer(threads + OTHER_CONNECTIONS));
        worker.remote().createAccounts(keys);
        if (polls(parameters)) {
            worker.remote().start();
        }
        worker.remote().publish(threads, keys, false, parameters.number("warmup"));
        arena.server().settle();
        Progress progress = new Progress(arena);
        long callsBefore = progress.calls();
        Usage before = arena.usage();
        Published published = worker.remote().publish(threads, keys, false, parameters.number("seconds"));
        Usage used = arena.usage().since(before);
        long calls = progress.calls() - callsBefore;

        Measurement measurement = new Measurement()
                .with(RATE, published.events() / published.seconds())
                .with(used, published.events())
                .with(
                        "transaction",
                        new Percentiles(worker.committedSince(published).stream()
                                .mapToLong((entry) -> entry.ended() - entry.begun())));
        long committed = worker.committed().size();
        if (!polls(parameters)) {
            return measurement.with(
                    "missing", (double) committed - arena.server().number(worker.pending()));
        }
        return measurement
                .with("delivered/s", calls / published.seconds())
                .withEnd(progress.await(committed, arena.deadline()))
                .with(Deliveries.of(arena.workers()));
    }
}
