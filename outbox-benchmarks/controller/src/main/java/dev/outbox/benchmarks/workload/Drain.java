package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Skill;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Works off a backlog: from the moment in which the contestant is told to start, or has handled the events that warm it up, until
 * the last call has ended and nothing is left in the database.
 *
 * @param load what there is to do
 * @param instances how many processes share it
 * @param limits how long it may take
 */
public record Drain(Load load, int instances, Limits limits) implements Workload {

    private static final String RATE = "events/s";

    /**
     * What there is to do.
     *
     * @param events how many events
     * @param keys of how many accounts
     * @param handlers how many handlers each has
     * @param work milliseconds that each call waits
     * @param failing percent of the calls fail once
     * @param warmup how many events more are worked off first, before the clock starts
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
        return entrant.can(Skill.DRAIN)
                && (instances == 1 || entrant.can(Skill.SHARE))
                && (load.failing() == 0 || entrant.can(Skill.RETRY));
    }

    @Override
    public Headline headline() {
        return new Headline(RATE, List.of("floor-move", "outbox (tuned)"));
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        Role.Calls calls = new Role.Calls(load.work(), load.failing(), 0);
        int pool = limits.pool(arena.entrant());
        // The process that published is gone, as after a crash: nothing is left in anybody's memory.
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
            deliverer.tell("start");
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
            throw new IllegalStateException("the contestant delivered before it was told to start");
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
