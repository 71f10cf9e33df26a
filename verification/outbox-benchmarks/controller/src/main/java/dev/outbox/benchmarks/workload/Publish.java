package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes an account and publishes one event in one transaction, as fast as a number of threads can.
 *
 * @param threads the number of threads
 * @param poller whether the same process delivers meanwhile
 * @param pace the duration
 * @param limits the time limits
 */
public record Publish(int threads, boolean poller, Pace pace, Limits limits) implements Workload {

    private static final String RATE = "transactions/s";

    /** Connections for delivery, beside those of the publishing threads. */
    private static final int OTHER_CONNECTIONS = 8;

    /**
     * Duration of a workload.
     *
     * @param keys the number of accounts
     * @param warmUp seconds before the measurement
     * @param seconds seconds of the measurement
     */
    public record Pace(int keys, int warmUp, int seconds) {}

    @Override
    public String name() {
        return "publish";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("threads", Integer.toString(threads));
        parameters.put("poller", poller ? "on" : "off");
        parameters.put("keys", Integer.toString(pace.keys()));
        parameters.put("seconds", Integer.toString(pace.seconds()));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.is(Kind.LIBRARY) || (entrant.is(Kind.FLOOR) && !poller);
    }

    @Override
    public Headline headline() {
        return new Headline(RATE, List.of("floor"));
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        WorkerProcess worker = arena.open(new Role(true, 1, threads + OTHER_CONNECTIONS, Role.Calls.NOTHING));
        worker.send(Command.to("accounts").with("accounts", pace.keys()));
        if (poller) {
            worker.send("start");
        }
        publish(worker, pace.warmUp());
        arena.server().settle();
        Progress progress = new Progress(arena);
        long callsBefore = progress.calls();
        Usage before = arena.usage();
        Message published = publish(worker, pace.seconds());
        Usage used = arena.usage().since(before);
        long calls = progress.calls() - callsBefore;

        double seconds = (published.longNumber("ended") - published.longNumber("begun")) / 1e9;
        int events = published.number("events");
        Percentiles durations = new Percentiles(worker.committed().entries().stream()
                .filter((entry) -> entry.number() >= published.number("first"))
                .mapToLong((entry) -> entry.ended() - entry.begun()));
        Measurement measurement = new Measurement()
                .with(RATE, events / seconds)
                .with(used, events)
                .with("transaction", durations)
                .with(worker.settings());
        return poller
                ? delivered(arena, worker, measurement.with("delivered/s", calls / seconds))
                : stored(arena, worker, measurement);
    }

    private Message publish(WorkerProcess worker, int seconds) throws Exception {
        worker.send(Command.to("publish")
                .with("threads", threads)
                .with("keys", pace.keys())
                .with("shared", false)
                .with("seconds", seconds));
        return worker.send("await");
    }

    private Measurement delivered(Arena arena, WorkerProcess worker, Measurement measurement) throws Exception {
        long done = new Progress(arena)
                .await(
                        worker.committed().size(),
                        System.nanoTime() + limits.longest().toNanos());
        return measurement.with("finished", done < 0 ? 0 : 1).with(Deliveries.of(arena.workers(), 1));
    }

    private static Measurement stored(Arena arena, WorkerProcess worker, Measurement measurement) throws Exception {
        long stored = arena.server().number(worker.pending());
        return measurement.with("missing", (double) (worker.committed().size() - stored));
    }
}
