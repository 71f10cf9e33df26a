package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Drains a backlog: from the start of the contestant, or the end of its warm-up, until the last call has ended and
 * nothing is left in the database.
 *
 * @param load the backlog
 * @param instances the number of processes
 * @param limits the time limits
 */
public record Drain(Load load, int instances, Limits limits) implements Workload {

    private static final String RATE = "events/s";

    /**
     * Backlog to drain.
     *
     * @param events the number of events
     * @param keys the number of accounts
     * @param handlers the number of handlers of each event
     * @param work the wait of each call in milliseconds
     * @param failing the percentage of calls that fail once
     * @param warmup the number of additional events to deliver before the measurement starts
     */
    public record Load(int events, int keys, int handlers, int work, int failing, int warmup) {

        Load withEvents(int other) {
            return new Load(other, keys, handlers, work, failing, warmup);
        }

        Load withKeys(int other) {
            return new Load(events, other, handlers, work, failing, warmup);
        }

        Load withHandlers(int other) {
            return new Load(events, keys, other, work, failing, warmup);
        }

        Load withWork(int other) {
            return new Load(events, keys, handlers, other, failing, warmup);
        }

        Load withFailing(int other) {
            return new Load(events, keys, handlers, work, other, warmup);
        }

        Load withWarmup(int other) {
            return new Load(events, keys, handlers, work, failing, other);
        }
    }

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("events", Integer.toString(load.events()));
        parameters.put("keys", Integer.toString(load.keys()));
        parameters.put("work", load.work() + " ms");
        parameters.put("handlers", Integer.toString(load.handlers()));
        parameters.put("instances", Integer.toString(instances));
        parameters.put("failing", load.failing() + " %");
        parameters.put("warmup", load.warmup() + " events");
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.is(Kind.LIBRARY) || (entrant.is(Kind.FLOOR) && instances == 1 && load.failing() == 0);
    }

    @Override
    public Headline headline() {
        return new Headline(RATE, List.of("floor", "outbox (tuned)"));
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        Role.Calls calls = new Role.Calls(load.work(), load.failing(), 0);
        int pool = limits.pool(arena.entrant());
        // Ends the publishing process, as a crash would, so no event is left in memory.
        WorkerProcess publisher = arena.open(new Role(false, load.handlers(), pool, calls));
        Backlog.of(load.warmup() + load.events(), load.keys()).publish(publisher);
        publisher.close();
        List<WorkerProcess> deliverers = new ArrayList<>();
        for (int instance = 0; instance < instances; instance++) {
            deliverers.add(arena.open(new Role(true, load.handlers(), pool, calls)));
        }
        if (instances > 1) {
            limits.awaitJoining();
        }
        arena.server().settle();

        Usage before = arena.usage();
        long started = before.nanos();
        long deadline = started + limits.longest().toNanos();
        for (WorkerProcess deliverer : deliverers) {
            deliverer.send("start");
        }
        Progress progress = new Progress(arena);
        long warm = 0;
        if (load.warmup() > 0) {
            progress.awaitCalls((long) load.warmup() * load.handlers(), deadline);
            warm = progress.calls();
            before = arena.usage();
        }
        long done = progress.await((long) (load.warmup() + load.events()) * load.handlers(), deadline);
        Usage used = arena.usage().since(before);

        Deliveries deliveries = Deliveries.of(arena.workers(), load.handlers());
        if (deliveries.firstBegun() != 0 && deliveries.firstBegun() < started) {
            throw new IllegalStateException("the contestant delivered before the start command");
        }
        long nanos = done < 0 ? used.nanos() : done - before.nanos();
        double events = (double) (progress.calls() - warm) / load.handlers();
        return new Measurement()
                .with(RATE, events / (nanos / 1e9))
                .with("seconds", nanos / 1e9)
                .with("first call after ms", (deliveries.firstBegun() - started) / 1e6)
                .with("finished", done < 0 ? 0 : 1)
                .with(used, Math.round(events))
                .with(deliveries)
                .with(deliverers.get(0).settings());
    }
}
