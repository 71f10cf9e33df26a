package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.worker.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Drains a backlog: from the start of the contestant, or the end of its warm-up, until the last call has ended and
 * nothing is left in the database.
 */
public final class Drain implements Workload {

    private static final String RATE = "events/s";

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public Map<String, String> options() {
        return Options.defaults("events=100000 keys=10000,100,1 work=0,1 instances=1,3 failing=0,5 warmup-events=0");
    }

    @Override
    public boolean suits(Entrant entrant, Case parameters) {
        return entrant.is(Kind.LIBRARY)
                || (entrant.is(Kind.FLOOR) && parameters.number("instances") == 1 && parameters.number("failing") == 0);
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int events = parameters.number("events");
        int warmup = parameters.number("warmup-events");
        int instances = parameters.number("instances");
        Role.Calls calls = new Role.Calls(parameters.number("work"), parameters.number("failing"), 0);
        // Ends the publishing process, as a crash would, so no event is left in memory.
        WorkerProcess publisher = arena.open(Role.publisher(arena.pool()).with(calls));
        publisher.remote().publishBacklog(warmup + events, 0, parameters.number("keys"));
        publisher.close();
        List<WorkerProcess> deliverers = new ArrayList<>();
        for (int instance = 0; instance < instances; instance++) {
            deliverers.add(arena.open(Role.deliverer(arena.pool()).with(calls)));
        }
        if (instances > 1) {
            arena.awaitJoining();
        }
        arena.server().settle();

        Usage before = arena.usage();
        long started = before.nanos();
        long deadline = arena.deadline();
        for (WorkerProcess deliverer : deliverers) {
            deliverer.remote().start();
        }
        Progress progress = new Progress(arena);
        long warm = 0;
        if (warmup > 0) {
            progress.awaitCalls(warmup, deadline);
            warm = progress.calls();
            before = arena.usage();
        }
        long done = progress.await(warmup + events, deadline);
        Usage used = arena.usage().since(before);

        Deliveries deliveries = Deliveries.of(arena.workers());
        if (deliveries.firstBegun() != 0 && deliveries.firstBegun() < started) {
            throw new IllegalStateException("the contestant delivered before the start command");
        }
        long nanos = done < 0 ? used.nanos() : done - before.nanos();
        long drained = progress.calls() - warm;
        return new Measurement()
                .with(RATE, drained / (nanos / 1e9))
                .with("seconds", nanos / 1e9)
                .with("first call after ms", (deliveries.firstBegun() - started) / 1e6)
                .withEnd(done)
                .with(used, drained)
                .with(deliveries);
    }
}
