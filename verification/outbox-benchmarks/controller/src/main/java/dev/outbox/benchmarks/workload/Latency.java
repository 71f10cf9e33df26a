package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Published;
import dev.outbox.benchmarks.worker.Role;
import java.util.List;
import java.util.Map;

/**
 * Publishes at a steady rate, and measures the time from each commit to the handler call. Due events do not wait for
 * earlier ones, so a slow moment counts for every event that it delays.
 */
public final class Latency implements Workload {

    /** Enough threads to keep the rate while commits are slow. */
    private static final int PUBLISHERS = 16;

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public Map<String, String> options() {
        return Options.defaults("rate=200,1000 process=same,another failing=0,5 keys=10000 warmup=5 seconds=20");
    }

    @Override
    public boolean suits(Entrant entrant, Case parameters) {
        return entrant.is(Kind.LIBRARY);
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        boolean elsewhere = parameters.text("process").equals("another");
        int rate = parameters.number("rate");
        int keys = parameters.number("keys");
        int pool = arena.pool() + PUBLISHERS;
        Role.Calls calls = new Role.Calls(0, parameters.number("failing"), 0);
        WorkerProcess publisher = arena.open(new Role(!elsewhere, pool, calls, Map.of()));
        WorkerProcess deliverer = elsewhere ? arena.open(Role.deliverer(pool).with(calls)) : publisher;
        publisher.remote().createAccounts(keys);
        for (WorkerProcess worker : arena.workers()) {
            worker.remote().start();
        }
        if (elsewhere) {
            arena.awaitJoining();
        }
        publisher.remote().publishAtRate(rate, PUBLISHERS, keys, parameters.number("warmup"));
        arena.server().settle();
        Usage before = arena.usage();
        Published published = publisher.remote().publishAtRate(rate, PUBLISHERS, keys, parameters.number("seconds"));
        Usage used = arena.usage().since(before);
        long done = new Progress(arena).await(publisher.committed().size(), arena.deadline());

        List<Entry> committed = publisher.committedSince(published);
        FirstCalls handled = FirstCalls.of(deliverer);
        return new Measurement()
                .with("commit to handler", handled.sinceCommit(committed))
                .with("due to handler", handled.sinceDue(committed))
                .with("published/s", published.events() / published.seconds())
                .withEnd(done)
                .with(used, published.events())
                .with(Deliveries.of(arena.workers()));
    }
}
