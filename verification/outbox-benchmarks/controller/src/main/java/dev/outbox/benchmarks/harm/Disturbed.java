package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.harm.Harm.Window;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Message;
import dev.outbox.benchmarks.workload.Deliveries;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Progress;
import dev.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares publishing and delivering at a steady rate before and during a disturbance.
 *
 * @param disturbance the disturbance
 * @param rate events per second
 * @param before the time without disturbance
 * @param during the duration of the disturbance
 * @param harm the settings of all harm tests
 */
record Disturbed(Disturbance disturbance, int rate, Duration before, Duration during, Harm harm) implements Workload {

    private static final int PUBLISHERS = 16;

    @Override
    public String name() {
        return "harm-" + disturbance.name();
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("rate", rate + "/s");
        parameters.put("before", before.toSeconds() + " s");
        parameters.put("during", during.toSeconds() + " s");
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("delivered/s during ÷ before", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        disturbance.prepare(arena);
        WorkerProcess worker = harm.deliverer(arena);
        worker.send(Command.to("accounts").with("accounts", harm.keys()));
        worker.send("start");
        arena.server().settle();
        long begun = System.nanoTime();
        worker.send(Command.to("pace")
                .with("rate", rate)
                .with("threads", PUBLISHERS)
                .with("keys", harm.keys())
                .with("shared", false)
                .with("seconds", Math.toIntExact(before.plus(during).toSeconds())));
        Pause.of(before);
        long disturbed = System.nanoTime();
        long done = disturbance.disturb(arena, worker, during);
        long undisturbed = System.nanoTime();
        Message published = worker.send("await");
        new Progress(arena)
                .await(
                        worker.committed().size(),
                        System.nanoTime() + harm.limits().longest().toNanos());

        // Leaves out the first third, in which the JVM is cold.
        Window calm = new Window(begun + before.toNanos() / 3, disturbed);
        Window storm = new Window(disturbed, Math.min(undisturbed, published.longNumber("ended")));
        Window end = new Window(storm.end() - (storm.end() - storm.begin()) / 4, storm.end());
        Measurement measurement = new Measurement()
                .with("delivered/s during ÷ before", rate(worker, storm) / rate(worker, calm))
                .with("claim p99 during ÷ before", claim(worker, storm) / claim(worker, calm));
        add(measurement, "before", worker, calm);
        add(measurement, "during", worker, storm);
        add(measurement, "at the end", worker, end);
        return measurement
                .with("seconds disturbed", (undisturbed - disturbed) / 1e9)
                .with("rows moved/s", done / ((undisturbed - disturbed) / 1e9))
                .with(Deliveries.of(arena.workers(), 1))
                .with(worker.settings());
    }

    private static double claim(WorkerProcess worker, Window window) throws IOException {
        return Harm.claims(worker, window).millis(0.99);
    }

    private static double rate(WorkerProcess worker, Window window) throws IOException {
        return worker.handled().entries().stream()
                        .filter((call) -> window.holds(call.ended()))
                        .count()
                / window.seconds();
    }

    private static void add(Measurement measurement, String when, WorkerProcess worker, Window window)
            throws IOException {
        Percentiles claims = Harm.claims(worker, window);
        Percentiles latencies = latencies(worker, window);
        measurement
                .with("delivered/s " + when, rate(worker, window))
                .with("commit to handler p50 ms " + when, latencies.millis(0.5))
                .with("commit to handler p99 ms " + when, latencies.millis(0.99))
                .with("claim p50 ms " + when, claims.millis(0.5))
                .with("claim p99 ms " + when, claims.millis(0.99));
    }

    private static Percentiles latencies(WorkerProcess worker, Window window) throws IOException {
        Map<Integer, Long> called = new HashMap<>();
        worker.handled().entries().forEach((call) -> called.merge(call.number(), call.begun(), Math::min));
        return new Percentiles(worker.committed().entries().stream()
                .filter((committed) -> window.holds(committed.ended()) && called.containsKey(committed.number()))
                .mapToLong((committed) -> Math.max(0, since(committed, called))));
    }

    private static long since(Entry committed, Map<Integer, Long> called) {
        return called.getOrDefault(committed.number(), committed.ended()) - committed.ended();
    }
}
